#include "backends/onednn/compiler/supports.h"

#include "backends/onednn/compiler/layouts.h"
#include "compiler/region_graph/describe.h"

using namespace mlir;

namespace tessera::backend_onednn {

using backend_api::Declined;
using backend_api::Support;
using backend_api::Supported;
using region_graph::Described;
using Why = std::optional<std::string>;  ///< Nothing: it is taken.

/// Sizes of the library's tensors have this many dimensions at most (DNNL_MAX_NDIMS).
static constexpr int64_t kMaxRank = 12;

/// Channels in a vector of AVX-512; a multiple of those of smaller ones.
static constexpr int64_t kVector = 16;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static Why whyNotType(Value value) {
  if (!value) return std::nullopt;
  const auto type = typeOf(value);
  if (!type.getElementType().isF32()) return "it takes f32 only";
  if (type.getRank() > kMaxRank) return "it takes up to 12 dimensions";
  if (type.getNumElements() == 0) return "it takes no tensors without elements";
  return std::nullopt;
}

static Why whyNotImage(const Described& op) {
  const int64_t rank = typeOf(op.inputs.front()).getRank();
  if (rank < 3 || rank > 5) return "images have one to three dimensions";
  const auto* window = op.attributes.AsWindow();
  if (window == nullptr) return std::nullopt;
  const bool isTransposed = op.name == "conv_transpose";
  for (size_t d = 0; d < window->kernel.size(); ++d) {
    if (window->pads_begin[d] < 0 || (window->pads_end[d] < 0 && !isTransposed))
      return "pads that cut off are not taken";
    const int64_t reach = (window->kernel[d] - 1) * window->dilations[d] + 1;
    if (op.name.ends_with("pool") &&
        (window->pads_begin[d] >= reach || window->pads_end[d] >= reach))
      return "windows that see nothing but pads are not taken";
    if (op.name.ends_with("pool") && window->dilations[d] != 1)
      return "oneDNN has pools with dilations as its reference only";
    if (isTransposed && window->pads_end[d] <= -window->strides[d])
      return "an output padding beyond a stride is not taken";
  }
  return std::nullopt;
}

static Why whyNotGemm(const Described& op) {
  const auto& product = *op.attributes.AsProduct();
  const bool hasC = op.inputs.size() > 2 && op.inputs[2];
  if (hasC && product.beta != 0 && product.beta != 1) return "a factor of the bias is not taken";
  if (hasC && typeOf(op.inputs[2]).getRank() == 2 && typeOf(op.inputs[2]).getDimSize(1) == 1 &&
      typeOf(op.inputs[2]).getDimSize(0) != 1)
    return "oneDNN adds one number for each row in its reference only";
  return std::nullopt;
}

/// The primitive repeats its second operand only.
static Why whyNotBinary(const Described& op) {
  const auto whole = typeOf(op.outputs.front()).getShape();
  const bool commutes = op.name != "sub" && op.name != "div";
  if (typeOf(op.inputs[0]).getShape() == whole ||
      (commutes && typeOf(op.inputs[1]).getShape() == whole))
    return std::nullopt;
  return "both operands are repeated, or the first one of a difference or quotient";
}

static Why whyNotLayerNorm(const Described& op) {
  const auto type = typeOf(op.inputs[0]);
  int64_t inner = 1;
  for (const int64_t size :
       type.getShape().drop_front(static_cast<size_t>(op.attributes.AsNorm()->axis)))
    inner *= size;
  for (const Value parameter : ArrayRef(op.inputs).drop_front()) {
    if (parameter && typeOf(parameter).getNumElements() != inner)
      return "its scale or bias is repeated";
  }
  return std::nullopt;
}

static Why whyNotLocalNorm(const Described& op) {
  const auto& norm = *op.attributes.AsLocalNorm();
  if (norm.beta != 0.75F) return "oneDNN has LRN with beta other than 0.75 as its reference only";
  if (norm.size % 2 == 0) return "windows of even size are not taken";
  const auto type = typeOf(op.inputs[0]);
  if (type.getRank() != 4) return "LRN of other than two-dimensional images is not taken";
  if (type.getDimSize(1) % kVector != 0)
    return "oneDNN has LRN as its reference only where channels do not fill vectors";
  return std::nullopt;
}

static Why whyNotPrelu(const Described& op) {
  const auto x = typeOf(op.inputs[0]).getShape();
  auto slope = typeOf(op.inputs[1]).getShape();
  if (typeOf(op.inputs[1]).getNumElements() == 1)
    return "oneDNN has one slope for all elements as its reference only";
  while (slope.size() > x.size() && slope.front() == 1) slope = slope.drop_front();
  return slope.size() <= x.size() ? std::nullopt : Why("its slope has more dimensions");
}

/// The library begins with the least finite number.
static Why whyNotGreatest(const Described&) { return "infinities would become finite"; }

static Why whyNotLog(const Described&) {
  return "oneDNN's logarithm is off by more than a rounding near 1";
}

/// The library takes the square root, which infinity with a sign has none of.
static Why whyNotPower(const Described& op) {
  if (op.attributes.AsScalars()->alpha != 0.5F) return std::nullopt;
  return "oneDNN's power of one half is no number for the least infinity";
}

static Why whyNotSlice(const Described& op) {
  for (const int64_t step : op.attributes.AsSlice()->steps) {
    if (step != 1) return "slices with steps are not taken";
  }
  return std::nullopt;
}

static Why whyNotBatchNorm(const Described& op) {
  const int64_t rank = typeOf(op.inputs[0]).getRank();
  return rank >= 2 && rank <= 5 ? std::nullopt : Why("it takes two to five dimensions");
}

static Why whyNotRelayout(const Described& op) {
  if (blockOf(typeOf(op.inputs[0])) && blockOf(typeOf(op.outputs[0]))) return std::nullopt;
  return "it knows row-major order and full blocks of 4, 8 or 16 channels only";
}

static Why whyNotRecurrent(const Described& op) {
  if (op.inputs[4]) return "sequences of different lengths are not taken";
  if (op.inputs.size() > 7 && op.inputs[7]) return "peepholes are not taken";
  return std::nullopt;
}

namespace {

struct Rule {
  StringRef name;
  Why (*why)(const Described&) = nullptr;
};

}  // namespace

/// What it takes, with what is asked of each beyond types. Names are those of region graphs.
static constexpr Rule kRules[] = {{"abs"},
                                  {"clip"},
                                  {"elu"},
                                  {"exp"},
                                  {"flatten"},
                                  {"gelu"},
                                  {"gelu_tanh"},
                                  {"hard_sigmoid"},
                                  {"hard_swish"},
                                  {"leaky_relu"},
                                  {"mish"},
                                  {"neg"},
                                  {"pow", whyNotPower},
                                  {"reciprocal"},
                                  {"relayout", whyNotRelayout},
                                  {"relu"},
                                  {"reshape"},
                                  {"round"},
                                  {"sigmoid"},
                                  {"silu"},
                                  {"softplus"},
                                  {"sqrt"},
                                  {"squeeze"},
                                  {"tanh"},
                                  {"transpose"},
                                  {"unsqueeze"},
                                  {"concat"},
                                  {"matmul"},
                                  {"softmax"},
                                  {"log_softmax"},
                                  {"reduce_mean"},
                                  {"reduce_sum"},
                                  {"add", whyNotBinary},
                                  {"sub", whyNotBinary},
                                  {"mul", whyNotBinary},
                                  {"div", whyNotBinary},
                                  {"max", whyNotBinary},
                                  {"min", whyNotBinary},
                                  {"average_pool", whyNotImage},
                                  {"max_pool", whyNotImage},
                                  {"global_average_pool", whyNotImage},
                                  {"global_max_pool", whyNotImage},
                                  {"conv", whyNotImage},
                                  {"conv_transpose", whyNotImage},
                                  {"resize", whyNotImage},
                                  {"gemm", whyNotGemm},
                                  {"gru", whyNotRecurrent},
                                  {"layer_norm", whyNotLayerNorm},
                                  {"lrn", whyNotLocalNorm},
                                  {"lstm", whyNotRecurrent},
                                  {"prelu", whyNotPrelu},
                                  {"slice", whyNotSlice},
                                  {"batch_norm", whyNotBatchNorm},
                                  {"reduce_max", whyNotGreatest},
                                  {"reduce_min", whyNotGreatest},
                                  {"log", whyNotLog}};

Support supportsOperator(Operation* op) {
  auto described = region_graph::describe(op);
  if (!described) return backend_api::declined(described.error());
  for (const Described& part : *described) {
    const auto* rule =
        llvm::find_if(kRules, [&](const Rule& one) { return one.name == part.name; });
    if (rule == std::end(kRules)) return Declined{"it has no primitive for " + part.name};
    if (rule->why != nullptr) {
      if (Why why = rule->why(part)) return Declined{std::move(*why)};
    }
    for (const auto* values : {&part.inputs, &part.outputs}) {
      for (const Value value : *values) {
        if (Why why = whyNotType(value)) return Declined{std::move(*why)};
      }
    }
  }
  return Supported{};
}

std::vector<std::string> supportedOperators() {
  std::vector<std::string> names = {"split"};
  for (const Rule& rule : kRules) {
    if (rule.name != "gelu_tanh" && rule.name != "silu" && rule.why != whyNotGreatest &&
        rule.why != whyNotLog)
      names.push_back(rule.name.str());
  }
  llvm::sort(names);
  return names;
}

}  // namespace tessera::backend_onednn
