#include "reference/loops/recurrent.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "reference/loops/activation_functions.h"
#include "reference/loops/dispatch.h"

namespace tessera::reference {

namespace {

/// An activation by its ONNX name, with the parameters it takes and their defaults.
struct ActivationEntry {
  std::string_view name;
  double (*function)(double x, double alpha, double beta);
  bool takesAlpha = false;
  bool takesBeta = false;
  double alpha = 0;
  double beta = 0;
};

constexpr ActivationEntry kActivations[] = {
    {.name = "Affine",
     .function = [](double x, double a, double b) { return a * x + b; },
     .takesAlpha = true,
     .takesBeta = true,
     .alpha = 1},
    {.name = "Elu",
     .function = [](double x, double a, double) { return activation::elu(x, a); },
     .takesAlpha = true,
     .alpha = 1},
    {.name = "HardSigmoid",
     .function = [](double x, double a, double b) { return activation::hardSigmoid(x, a, b); },
     .takesAlpha = true,
     .takesBeta = true,
     .alpha = 0.2,
     .beta = 0.5},
    {.name = "LeakyRelu",
     .function = [](double x, double a, double) { return x < 0 ? a * x : x; },
     .takesAlpha = true,
     .alpha = 0.01},
    {.name = "Relu", .function = [](double x, double, double) { return std::max(x, 0.0); }},
    {.name = "ScaledTanh",
     .function = [](double x, double a, double b) { return a * std::tanh(b * x); },
     .takesAlpha = true,
     .takesBeta = true,
     .alpha = 1,
     .beta = 1},
    {.name = "Sigmoid",
     .function = [](double x, double, double) { return activation::sigmoid(x); }},
    {.name = "Softplus",
     .function = [](double x, double, double) { return activation::softplus(x); }},
    {.name = "Softsign",
     .function = [](double x, double, double) { return x / (1 + std::fabs(x)); }},
    {.name = "Tanh", .function = [](double x, double, double) { return std::tanh(x); }},
    {.name = "ThresholdedRelu",
     .function = [](double x, double a, double) { return x > a ? x : 0.0; },
     .takesAlpha = true,
     .alpha = 1},
};

}  // namespace

static bool equalIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

/// activation_alpha and activation_beta hold values only for the activations that take them, in
/// order.
static Result<std::vector<RecurrentActivation>> parseActivations(
    const OpCall& call, const std::vector<std::string>& defaults) {
  TESSERA_TRY(const std::vector<std::string> names,
              attributeOr<std::vector<std::string>>(call, "activations", defaults));
  TESSERA_TRY(const std::vector<double> alphas,
              attributeOr<std::vector<double>>(call, "activation_alpha", {}));
  TESSERA_TRY(const std::vector<double> betas,
              attributeOr<std::vector<double>>(call, "activation_beta", {}));
  if (names.size() != defaults.size()) {
    return opError(call, std::to_string(names.size()) + " activations are given, expected " +
                             std::to_string(defaults.size()));
  }
  std::vector<RecurrentActivation> activations;
  size_t nextAlpha = 0, nextBeta = 0;
  for (const std::string& name : names) {
    const auto* entry = std::ranges::find_if(kActivations, [&](const ActivationEntry& candidate) {
      return equalIgnoringCase(candidate.name, name);
    });
    if (entry == std::end(kActivations)) return opError(call, "unknown activation '" + name + "'");
    RecurrentActivation activation{
        .function = entry->function, .alpha = entry->alpha, .beta = entry->beta};
    if (entry->takesAlpha && nextAlpha < alphas.size()) activation.alpha = alphas[nextAlpha++];
    if (entry->takesBeta && nextBeta < betas.size()) activation.beta = betas[nextBeta++];
    activations.push_back(activation);
  }
  return activations;
}

static Result<std::vector<int64_t>> parseLengths(const OpCall& call, const Recurrent& arguments) {
  if (!hasInput(call, 4))
    return std::vector<int64_t>(static_cast<size_t>(arguments.batch), arguments.steps);
  TESSERA_TRY(std::vector<int64_t> lengths, integerInput(call, 4));
  const bool valid = std::ranges::all_of(
      lengths, [&](int64_t length) { return length >= 0 && length <= arguments.steps; });
  if (static_cast<int64_t>(lengths.size()) != arguments.batch || !valid) {
    return opError(call, "sequence lengths " + toText(lengths) + " do not fit " +
                             std::to_string(arguments.batch) + " sequences of " +
                             std::to_string(arguments.steps) + " steps");
  }
  return lengths;
}

/// Direction, layout and sizes.
static Result<Recurrent> parseSizes(const OpCall& call, int64_t gates) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView w, typedInput(call, 1, x.type));
  TESSERA_TRY(const TensorView r, typedInput(call, 2, x.type));
  TESSERA_TRY(const std::string direction, attributeOr<std::string>(call, "direction", "forward"));
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    return opError(call, "attribute 'direction' has the unknown value '" + direction + "'");
  }
  Recurrent arguments{};
  TESSERA_TRY(arguments.batchFirst, flagOr(call, "layout", false));
  TESSERA_TRY(arguments.clip,
              attributeOr<double>(call, "clip", std::numeric_limits<double>::infinity()));
  if (!(arguments.clip >= 0)) return opError(call, "attribute 'clip' is negative");
  arguments.gates = gates;
  arguments.directions = direction == "bidirectional" ? 2 : 1;
  arguments.firstDirectionReversed = direction == "reverse";
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3)
    return opError(call, "X, W and R must have rank 3");
  arguments.steps = x.shape[arguments.batchFirst ? 1 : 0];
  arguments.batch = x.shape[arguments.batchFirst ? 0 : 1];
  arguments.inputSize = x.shape[2];
  arguments.hiddenSize = r.shape[2];
  TESSERA_TRY(const int64_t hiddenSize,
              attributeOr<int64_t>(call, "hidden_size", arguments.hiddenSize));
  if (hiddenSize != arguments.hiddenSize) {
    return opError(call, "hidden_size is " + std::to_string(hiddenSize) + ", but R has shape " +
                             toText(r.shape));
  }
  return arguments;
}

Result<std::vector<double>> shapedInput(const OpCall& call, size_t index, const Shape& shape) {
  if (!hasInput(call, index))
    return std::vector<double>(static_cast<size_t>(elementCount(shape)), 0.0);
  if (!sameShape(call.inputs[index].shape, shape)) {
    return opError(call, "input " + std::to_string(index) + " has shape " +
                             toText(call.inputs[index].shape) + ", expected " + toText(shape));
  }
  return realInput(call, index);
}

Result<Recurrent> parseRecurrent(const OpCall& call, int64_t gates,
                                 std::vector<std::string> defaults) {
  TESSERA_TRY(Recurrent arguments, parseSizes(call, gates));
  if (arguments.directions == 2) {
    const std::vector<std::string> once = defaults;
    defaults.insert(defaults.end(), once.begin(), once.end());
  }
  const int64_t rows = gates * arguments.hiddenSize;
  TESSERA_TRY(arguments.activations, parseActivations(call, defaults));
  TESSERA_TRY(arguments.lengths, parseLengths(call, arguments));
  TESSERA_TRY(arguments.x, realInput(call, 0));
  TESSERA_TRY(arguments.w, shapedInput(call, 1, {arguments.directions, rows, arguments.inputSize}));
  TESSERA_TRY(arguments.r,
              shapedInput(call, 2, {arguments.directions, rows, arguments.hiddenSize}));
  TESSERA_TRY(arguments.bias, shapedInput(call, 3, {arguments.directions, 2 * rows}));
  TESSERA_TRY(arguments.initialH, shapedInput(call, 5, stateShape(arguments)));
  return arguments;
}

double RecurrentDirection::inputPart(int64_t gate, int64_t i, std::span<const double> x) const {
  const int64_t rows = arguments.gates * arguments.hiddenSize,
                row = gate * arguments.hiddenSize + i;
  const double* weights = arguments.w.data() + (index * rows + row) * arguments.inputSize;
  return std::inner_product(x.begin(), x.end(), weights, arguments.bias[index * 2 * rows + row]);
}

double RecurrentDirection::hiddenPart(int64_t gate, int64_t i, std::span<const double> h) const {
  const int64_t rows = arguments.gates * arguments.hiddenSize,
                row = gate * arguments.hiddenSize + i;
  const double* weights = arguments.r.data() + (index * rows + row) * arguments.hiddenSize;
  return std::inner_product(h.begin(), h.end(), weights,
                            arguments.bias[index * 2 * rows + rows + row]);
}

double RecurrentDirection::activate(size_t which, double argument) const {
  const size_t perDirection =
      arguments.activations.size() / static_cast<size_t>(arguments.directions);
  const RecurrentActivation& f =
      arguments.activations[static_cast<size_t>(index) * perDirection + which];
  return f.function(std::clamp(argument, -arguments.clip, arguments.clip), f.alpha, f.beta);
}

Shape stateShape(const Recurrent& arguments) {
  if (arguments.batchFirst) return {arguments.batch, arguments.directions, arguments.hiddenSize};
  return {arguments.directions, arguments.batch, arguments.hiddenSize};
}

OpResult runRecurrent(const OpCall& call, ElementType type, const Recurrent& arguments,
                      const std::vector<double>& initialC, const RecurrentStep& step) {
  const int64_t steps = arguments.steps, batches = arguments.batch, inputSize = arguments.inputSize;
  const int64_t hidden = arguments.hiddenSize, directions = arguments.directions;
  const bool batchFirst = arguments.batchFirst;
  TESSERA_TRY(Tensor y, makeTensor(call, type,
                                   batchFirst ? Shape{batches, steps, directions, hidden}
                                              : Shape{steps, directions, batches, hidden}));
  TESSERA_TRY(Tensor lastH, makeTensor(call, type, stateShape(arguments)));
  TESSERA_TRY(Tensor lastC, makeTensor(call, type, stateShape(arguments)));
  return dispatch(call, type, FloatTypes{}, [&]<typename T>() -> OpResult {
    const auto store = [](const std::vector<double>& values, T* out) {
      std::ranges::transform(values, out, [](double v) { return static_cast<T>(v); });
    };
    for (int64_t d = 0; d < directions; ++d) {
      const bool reversed = d == 1 || arguments.firstDirectionReversed;
      for (int64_t b = 0; b < batches; ++b) {
        const int64_t at = stateOffset(arguments, d, b), length = arguments.lengths[b];
        // A sequence without steps ends in zeros, not in its initial state: the standard is silent,
        // ONNX Runtime does so.
        const auto initial = [&](const std::vector<double>& given) {
          if (length == 0) return std::vector<double>(hidden);
          return std::vector<double>(given.begin() + at, given.begin() + at + hidden);
        };
        RecurrentState state;
        state.h = initial(arguments.initialH);
        if (!initialC.empty()) state.c = initial(initialC);
        for (int64_t s = 0; s < length; ++s) {
          const int64_t t = reversed ? length - 1 - s : s;
          const double* x =
              arguments.x.data() + (batchFirst ? b * steps + t : t * batches + b) * inputSize;
          step({.arguments = arguments, .index = d}, {x, static_cast<size_t>(inputSize)}, state);
          const int64_t line =
              batchFirst ? (b * steps + t) * directions + d : (t * directions + d) * batches + b;
          store(state.h, y.as<T>().data() + line * hidden);
        }
        store(state.h, lastH.as<T>().data() + at);
        store(state.c, lastC.as<T>().data() + at);
      }
    }
    return outputs(std::move(y), std::move(lastH), std::move(lastC));
  });
}

}  // namespace tessera::reference
