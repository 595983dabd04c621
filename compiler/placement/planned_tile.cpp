#include "compiler/placement/planned_tile.h"

namespace tessera::placement {

PlannedTile plannedTile(const CandidateSet& set, const CandidateTimes& times,
                        const CandidateTile& from) {
  PlannedTile planned{.tile = from.tile, .rule = from.rule, .cost = times.lookup(from.classNumber)};
  planned.evidence = planned.cost.key;
  // What takes no time was not run: the host program does it.
  if (planned.evidence.empty() && planned.cost.seconds > 0)
    planned.evidence = set.classes[from.classNumber].name;
  for (const CandidateTile& other : set.tiles) {
    if (other.tile.nodes != from.tile.nodes || other.tile.target == from.tile.target) continue;
    const auto cost = times.find(other.classNumber);
    if (cost == times.end() || cost->second.outcome != costs::Outcome::kOk) continue;
    if (planned.runnerUp && planned.runnerUpSeconds <= cost->second.seconds) continue;
    planned.runnerUp = other.tile.target;
    planned.runnerUpSeconds = cost->second.seconds;
  }
  return planned;
}

std::vector<PlannedTile> plannedTiles(const CandidateSet& set, const CandidateTimes& times,
                                      const search::Solution& solution) {
  std::vector<PlannedTile> tiles;
  for (const search::CandidateId id : solution.chosen)
    tiles.push_back(plannedTile(set, times, set.tiles[id]));
  return tiles;
}

PlannedTile knownPart(const CandidateSet& set, const CandidateTimes& times, Tile part) {
  for (const CandidateTile& each : set.tiles) {
    const bool isSame = each.tile.target == part.target && each.tile.nodes == part.nodes;
    if (isSame && each.tile.reads.empty() && each.tile.choice == 0 &&
        times.contains(each.classNumber))
      return plannedTile(set, times, each);
  }
  return {.tile = std::move(part)};
}

}  // namespace tessera::placement
