// Small random models as text.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tessera::tests {

/// A random number generator whose numbers do not depend on the standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// In [0, bound).
  size_t below(size_t bound) { return engine_() % bound; }
  bool chance(size_t percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// One line of a function's body, and the lines that it needs.
struct Line {
  std::string text;
  std::vector<size_t> needs;
};

/// A model with one input of 24 floats under several shapes. Each operator has a name of its own
/// (n0, n1, ...) as location; every value that no operator reads is returned.
struct RandomGraph {
  std::vector<Line> lines;
  std::string returned;     ///< "%5, %7 : tensor<...>, tensor<...>".
  std::string resultTypes;  ///< "(tensor<...>, tensor<...>)".

  /// The module, its lines in the order that `order` draws among those in which all needs come
  /// first; as they stand when null.
  std::string toText(Random* order = nullptr) const;
};

/// What may stand in a graph. A seed means another graph in each.
enum class Vocabulary : uint8_t {
  kFirst,  ///< Elementwise operators, softmax, reshapes, splits, concats, composites and choices.
  kFull,   ///< These, products, sums over a dimension, slices, loops and scans.
};

/// At most `maxOperators`, at least one.
RandomGraph makeRandomGraph(Random& random, size_t maxOperators, Vocabulary vocabulary);

}  // namespace tessera::tests
