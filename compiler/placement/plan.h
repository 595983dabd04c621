// A plan with its reasons.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/placement/costing/measurer.h"
#include "compiler/placement/tile.h"

namespace tessera::placement {

/// A tile and why it is in a plan.
struct PlannedTile {
  Tile tile;
  std::string rule = {};  ///< Where it comes from (proposal.h); empty where nothing was proposed.
  std::string evidence =
      {};  ///< Its class, which keys of the cost store name; empty: not measured.
  Measurement cost = {};
  /// Who else could run the same operators in the least time.
  ir::TargetAttr runnerUp = {};
  double runnerUpSeconds = 0;
};

/// Where a plan comes from.
enum class Origin : uint8_t {
  kSearch,
  kAlone,  ///< One target has all that it takes, the host target the rest.
  kGreedy,
  kPrevious,  ///< It won before.
  kDrawn,     ///< At random, to learn from or to judge the others by: it never wins.
};

/// What greedy placement's plan is called.
inline constexpr const char* kGreedyName = "greedy";

/// A plan that was run as a whole.
struct Contestant {
  std::string name;  ///< For people: "search 2", "only native", "greedy".
  Origin origin = Origin::kSearch;
  /// Nothing: what greedy placement makes of all targets.
  std::optional<std::vector<PlannedTile>> tiles = {};
  double predicted = 0;  ///< Seconds, the sum of its parts; 0: nothing was predicted.
  Measurement measured = {};
  size_t race = 0;  ///< The last one that it ran in; 0: none.
  /// The winner's time by its own, the median over the turns of their race; 0: they had none.
  double winnersShare = 0;
  uint64_t memoryBytes = 0;  ///< With what targets keep without telling (plan_memory.h).
};

/// What a target says about operators, one or several that it says the same about.
struct Answer {
  enum class Kind : uint8_t {
    kTakes,
    kDeclined,
    kNotMeasured,
    kFailed,  ///< It was measured, and `cost` says what came of it.
  };
  ir::TargetAttr target = {};
  std::vector<uint32_t> operators = {};
  Kind kind = Kind::kTakes;
  std::string reason = {};  ///< Of anything but kTakes.
  /// kTakes, and it was measured: the candidate that they would be in, where it comes from and what
  /// it costs.
  llvm::SmallVector<uint32_t> tile = {};
  std::string rule = {};
  Measurement cost = {};
  std::optional<double> loss = {};  ///< Seconds that the search's plan would get longer by it.
};

struct FoundPlan {
  std::vector<Contestant> contestants = {};  ///< The winner is the first.
  size_t numProposals = 0, numDeclined = 0, numCandidates = 0, numClasses = 0;
  size_t numMeasuredClasses = 0, numRounds = 0;
  double lowerBound = 0;  ///< Seconds; of all plans, as far as costs add up.
  /// Seconds that the cheapest tiles take where conversions between them cost nothing, measured
  /// after they were chosen. 0: not known.
  double withoutConversions = 0;
  std::string solver = {};
  bool isStopped = false;  ///< Not all was measured that a better plan might rest on.
  std::vector<std::string> remarks = {};   ///< What was not as it should be meanwhile.
  std::optional<Error> storeFailure = {};  ///< Why measurements were not kept.
  std::string searchFailure = {};          ///< Why no plan was put together; empty: one was.
  bool isMeasured = true;                  ///< False: nothing ran at all.
  /// Who runs what in the end, where the winner is no search's: its own tiles do not tell.
  std::vector<PlannedTile> parts = {};
  std::vector<Answer> answers = {};  ///< Of every target about every operator.
};

}  // namespace tessera::placement
