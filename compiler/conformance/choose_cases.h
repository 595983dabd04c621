// Which cases to try, in which order: each operator in turn, as it stands in the corpus and varied.
#pragma once

#include "compiler/conformance/case.h"
#include "compiler/conformance/corpus.h"

namespace tessera::conformance {

/// A case that was not placed or evaluated yet.
struct Candidate {
  std::string name;  ///< "conv_groups", or "conv_groups~3" for its third variant.
  Function function;
};

/// Gives candidates one after the other; equal seeds give equal ones.
class Candidates {
 public:
  /// Those with one of `operators`, or all when it is empty. `corpus` outlives this.
  Candidates(const Corpus& corpus, std::span<const std::string> operators, uint64_t seed);

  /// Null in `function` when this draw gave no legal case; nothing at the end of all.
  std::optional<Candidate> next();

  /// The one of this name; nothing when there is none.
  static std::optional<Candidate> find(const Corpus& corpus, const std::string& name,
                                       uint64_t seed);

 private:
  const Seed* nextSeed(size_t& variant);

  uint64_t seed_;
  std::vector<std::vector<const Seed*>> groups_;  ///< By operator.
  std::vector<size_t> positions_;                 ///< In each group.
  std::vector<size_t> turns_;  ///< Groups, as often as each gets one of so many cases.
  size_t turn_ = 0;
};

}  // namespace tessera::conformance
