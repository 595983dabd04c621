// What rnn, gru and lstm share: arguments, walking over directions and time, activations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/arguments.h"

namespace tessera::reference {

/// One of the activation functions that recurrent operators name.
struct RecurrentActivation {
  double (*function)(double x, double alpha, double beta);
  double alpha;
  double beta;
};

/// The parsed arguments; all numbers widened to double.
struct Recurrent {
  int64_t steps;
  int64_t batch;
  int64_t inputSize;
  int64_t hiddenSize;
  int64_t directions;
  int64_t gates;
  bool batchFirst;  ///< layout = 1
  bool
      firstDirectionReversed;  ///< direction = "reverse"; of two directions the second is reversed.
  double clip;                 ///< Bound on the argument of every activation; infinite when absent.
  std::vector<double> x;       ///< [steps, batch, inputSize], or batch first.
  std::vector<double> w;       ///< [directions, gates * hiddenSize, inputSize]
  std::vector<double> r;       ///< [directions, gates * hiddenSize, hiddenSize]
  std::vector<double> bias;    ///< [directions, 2 * gates * hiddenSize]: of w, then of r.
  std::vector<double> initialH;  ///< [directions, batch, hiddenSize], or batch first.
  std::vector<int64_t> lengths;  ///< [batch]: valid steps.
  std::vector<RecurrentActivation> activations;  ///< [directions, per direction]
};

/// State of one batch entry in one direction. Only lstm uses c.
struct RecurrentState {
  std::vector<double> h;
  std::vector<double> c;
};

/// `defaults` are the activations of one direction.
Result<Recurrent> parseRecurrent(const OpCall& call, int64_t gates,
                                 std::vector<std::string> defaults);
/// An optional input of the given shape as doubles, zeros when absent.
Result<std::vector<double>> shapedInput(const OpCall& call, size_t index, const Shape& shape);

/// The weights of one direction.
struct RecurrentDirection {
  const Recurrent& arguments;
  int64_t index;

  /// w[gate, i] . x + its bias
  double inputPart(int64_t gate, int64_t i, std::span<const double> x) const;
  /// r[gate, i] . h + its bias
  double hiddenPart(int64_t gate, int64_t i, std::span<const double> h) const;
  /// Activation number `which` of this direction, of the clipped argument.
  double activate(size_t which, double argument) const;
};

/// Where entry (direction, batch) of a state tensor begins.
inline int64_t stateOffset(const Recurrent& arguments, int64_t direction, int64_t batch) {
  return (arguments.batchFirst ? batch * arguments.directions + direction
                               : direction * arguments.batch + batch) *
         arguments.hiddenSize;
}

/// [directions, batch, hiddenSize], or batch first.
Shape stateShape(const Recurrent& arguments);

/// Advances the state by one step with input x, [inputSize].
using RecurrentStep = std::function<void(const RecurrentDirection& direction,
                                         std::span<const double> x, RecurrentState& state)>;

/// Runs `step` over all directions, batch entries and their valid steps. Returns Y, Y_h and Y_c in
/// element type `type`. `initialC` may be empty.
OpResult runRecurrent(const OpCall& call, ElementType type, const Recurrent& arguments,
                      const std::vector<double>& initialC, const RecurrentStep& step);

}  // namespace tessera::reference
