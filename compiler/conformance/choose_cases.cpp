#include "compiler/conformance/choose_cases.h"

#include <map>

#include "compiler/conformance/vary.h"
#include "compiler/ir/op_info.h"

namespace tessera::conformance {

using namespace mlir;

/// Variants of one seed.
static constexpr size_t kMaxVariants = 64;

Candidates::Candidates(const Corpus& corpus, std::span<const std::string> operators, uint64_t seed)
    : seed_(seed) {
  std::map<std::string, std::vector<const Seed*>> groups;
  for (const Seed& one : corpus.seeds) {
    for (const std::string& name : operatorsOf(one.function)) {
      if (!operators.empty() && !llvm::is_contained(operators, name)) continue;
      groups[name].push_back(&one);
      break;
    }
  }
  for (auto& [name, seeds] : groups) {
    // Another order for each seed, so that few cases are not always the same ones.
    Random random(seedOf(seed, name, 0));
    for (size_t i = seeds.size(); i > 1; --i) std::swap(seeds[i - 1], seeds[random.below(i)]);
    groups_.push_back(std::move(seeds));
  }
  // What has many attributes has many ways to be wrong.
  for (size_t pass = 0; pass < 4; ++pass) {
    size_t group = 0;
    for (const auto& [name, seeds] : groups) {
      const ir::OpInfo* info = ir::findByMnemonic(name);
      if (pass == 0 || (info != nullptr && info->attributes.size() >= 2 * pass))
        turns_.push_back(group);
      ++group;
    }
  }
  positions_.resize(groups_.size(), 0);
}

/// A group's cases: the first as it is, its first variant, the second as it is, ...; then second
/// variants, and so on.
const Seed* Candidates::nextSeed(size_t& variant) {
  for (size_t tried = 0; tried < turns_.size(); ++tried) {
    const size_t group = turns_[turn_];
    const std::vector<const Seed*>& seeds = groups_[group];
    size_t& position = positions_[group];
    turn_ = (turn_ + 1) % turns_.size();
    const size_t first = 2 * seeds.size();
    if (position >= first + (kMaxVariants - 1) * seeds.size()) continue;
    const size_t at = position++;
    variant = at < first ? at % 2 : 2 + (at - first) / seeds.size();
    return seeds[at < first ? at / 2 : (at - first) % seeds.size()];
  }
  return nullptr;
}

static Candidate make(const Seed& seed, size_t variant, uint64_t number) {
  if (variant == 0) return {.name = seed.name, .function = cloneOf(seed.function)};
  Random random(seedOf(number, seed.name, variant));
  return {.name = seed.name + "~" + std::to_string(variant),
          .function = vary(seed.function, random)};
}

std::optional<Candidate> Candidates::next() {
  size_t variant = 0;
  const Seed* seed = nextSeed(variant);
  if (seed == nullptr) return std::nullopt;
  return make(*seed, variant, seed_);
}

std::optional<Candidate> Candidates::find(const Corpus& corpus, const std::string& name,
                                          uint64_t seed) {
  const auto [base, number] = StringRef(name).split('~');
  size_t variant = 0;
  if (name.find('~') != std::string::npos && number.getAsInteger(10, variant)) return std::nullopt;
  for (const Seed& one : corpus.seeds) {
    if (one.name != base) continue;
    Candidate candidate = make(one, variant, seed);
    if (candidate.function) return candidate;
  }
  return std::nullopt;
}

}  // namespace tessera::conformance
