// rnn, gru and lstm: the equations of one step; recurrent.h walks over time.
#include "reference/loops/recurrent.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// h = f(W x + R h + b)
OpResult rnn(const OpCall& call) {
  TESSERA_TRY(const Recurrent arguments, parseRecurrent(call, 1, {"Tanh"}));
  const auto step = [](const RecurrentDirection& cell, std::span<const double> x,
                       RecurrentState& state) {
    const std::vector<double> h = state.h;
    for (int64_t i = 0; i < cell.arguments.hiddenSize; ++i) {
      state.h[i] = cell.activate(0, cell.inputPart(0, i, x) + cell.hiddenPart(0, i, h));
    }
  };
  TESSERA_TRY(OpResult::value_type results,
              runRecurrent(call, call.inputs[0].type, arguments, {}, step));
  results.pop_back();
  return results;
}

/// Gates in the order z (update), r (reset), h (candidate); h = (1 - z) * candidate + z * h. The
/// reset is applied to R h + b with linear_before_reset, else to h.
OpResult gru(const OpCall& call) {
  TESSERA_TRY(const Recurrent arguments, parseRecurrent(call, 3, {"Sigmoid", "Tanh"}));
  TESSERA_TRY(const bool linearBeforeReset, flagOr(call, "linear_before_reset", false));
  const auto step = [=](const RecurrentDirection& cell, std::span<const double> x,
                        RecurrentState& state) {
    const int64_t hidden = cell.arguments.hiddenSize;
    const std::vector<double> h = state.h;
    std::vector<double> reset(h.size()), resetH(h.size());
    for (int64_t i = 0; i < hidden; ++i) {
      reset[i] = cell.activate(0, cell.inputPart(1, i, x) + cell.hiddenPart(1, i, h));
      resetH[i] = reset[i] * h[i];
    }
    for (int64_t i = 0; i < hidden; ++i) {
      const double update = cell.activate(0, cell.inputPart(0, i, x) + cell.hiddenPart(0, i, h));
      const double recurrent =
          linearBeforeReset ? reset[i] * cell.hiddenPart(2, i, h) : cell.hiddenPart(2, i, resetH);
      const double candidate = cell.activate(1, cell.inputPart(2, i, x) + recurrent);
      state.h[i] = (1 - update) * candidate + update * h[i];
    }
  };
  TESSERA_TRY(OpResult::value_type results,
              runRecurrent(call, call.inputs[0].type, arguments, {}, step));
  results.pop_back();
  return results;
}

/// Gates in the order i (input), o (output), f (forget), c (candidate); peepholes, input 7, in the
/// order i, o, f.
OpResult lstm(const OpCall& call) {
  TESSERA_TRY(const Recurrent arguments, parseRecurrent(call, 4, {"Sigmoid", "Tanh", "Tanh"}));
  TESSERA_TRY(const bool inputForget, flagOr(call, "input_forget", false));
  TESSERA_TRY(const std::vector<double> initialC, shapedInput(call, 6, stateShape(arguments)));
  TESSERA_TRY(const std::vector<double> peepholes,
              shapedInput(call, 7, {arguments.directions, 3 * arguments.hiddenSize}));
  const auto step = [&](const RecurrentDirection& cell, std::span<const double> x,
                        RecurrentState& state) {
    const int64_t hidden = arguments.hiddenSize;
    const double* peephole = peepholes.data() + cell.index * 3 * hidden;
    const std::vector<double> h = state.h;
    const auto gate = [&](int64_t g, int64_t i) {
      return cell.inputPart(g, i, x) + cell.hiddenPart(g, i, h);
    };
    for (int64_t i = 0; i < hidden; ++i) {
      const double c = state.c[i];
      const double input = cell.activate(0, gate(0, i) + peephole[i] * c);
      const double forget =
          inputForget ? 1 - input : cell.activate(0, gate(2, i) + peephole[2 * hidden + i] * c);
      state.c[i] = forget * c + input * cell.activate(1, gate(3, i));
      const double output = cell.activate(0, gate(1, i) + peephole[hidden + i] * state.c[i]);
      state.h[i] = output * cell.activate(2, state.c[i]);
    }
  };
  return runRecurrent(call, call.inputs[0].type, arguments, initialC, step);
}

}  // namespace tessera::reference::ops
