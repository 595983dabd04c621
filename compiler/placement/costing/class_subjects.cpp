#include "compiler/placement/costing/class_subjects.h"

#include "compiler/placement/candidates/conversion_tile.h"
#include "compiler/placement/plan_memory.h"

namespace tessera::placement {

using namespace mlir;

void ClassSubjects::update() {
  tileOf_.clear();
  valueOf_.clear();
  for (auto [number, tile] : llvm::enumerate(set_.tiles))
    tileOf_.try_emplace(tile.classNumber, number);
  for (const auto& [value, states] : search_.states) {
    for (const Type from : states) {
      for (const Type to : states)
        valueOf_.try_emplace({from.getAsOpaquePointer(), to.getAsOpaquePointer()}, value);
    }
  }
}

ClassSubjects::Key ClassSubjects::keyOf(search::ClassId id) const {
  const CostSubject& of = search_.subjects[id];
  return {of.candidateClass, of.from.getAsOpaquePointer(), of.to.getAsOpaquePointer()};
}

std::vector<search::ClassId> ClassSubjects::sameConversions(search::ClassId id) const {
  std::vector<search::ClassId> same = {id};
  if (!search_.subjects[id].isConversion()) return same;
  for (search::ClassId other = 0; other < search_.subjects.size(); ++other)
    if (other != id && keyOf(other) == keyOf(id)) same.push_back(other);
  return same;
}

const Tile& ClassSubjects::tileOf(size_t candidateClass) const {
  return set_.tiles[tileOf_.at(candidateClass)].tile;
}

Result<Subject> ClassSubjects::subjectOf(search::ClassId id,
                                         std::vector<OwningOpRef<ModuleOp>>& keep) const {
  const CostSubject& cost = search_.subjects[id];
  if (!cost.isConversion()) {
    const CandidateClass& of = set_.classes[cost.candidateClass];
    const CandidateTile& tile = set_.tiles[tileOf_.at(cost.candidateClass)];
    return Subject{.name = of.name,
                   .module = *of.module,
                   .target = tile.tile.target,
                   .inputs = tile.inputs,
                   .outputs = tile.outputs,
                   .liveBytes = peakLiveBytes(graph_, tile.tile.nodes)};
  }
  OwningOpRef<ModuleOp> module = makeConversion(request_.module, cost.from, cost.to);
  const std::string name = tileClass(*module);
  TESSERA_TRY_VOID(request_.place(*module));
  const mlir::Value value =
      valueOf_.at({cost.from.getAsOpaquePointer(), cost.to.getAsOpaquePointer()});
  keep.push_back(std::move(module));
  return Subject{
      .name = name, .module = *keep.back(), .target = {}, .inputs = {value}, .outputs = {value}};
}

std::optional<search::ClassId> ClassSubjects::classOf(const PlacedCall& call) const {
  if (call.nodes.empty()) {
    if (call.reads.size() != 1 || call.gives.size() != 1) return std::nullopt;
    for (const auto& [id, subject] : llvm::enumerate(search_.subjects))
      if (subject.from == call.reads.front() && subject.to == call.gives.front()) return id;
    return std::nullopt;
  }
  const auto sorted = [](SmallVector<Type> types) {
    llvm::sort(types,
               [](Type a, Type b) { return a.getAsOpaquePointer() < b.getAsOpaquePointer(); });
    return types;
  };
  for (const CandidateTile& each : set_.tiles) {
    if (each.tile.nodes != call.nodes || each.tile.target != call.target) continue;
    SmallVector<Type> reads = each.tile.reads;
    if (reads.empty()) llvm::append_range(reads, mlir::ValueRange(each.inputs).getTypes());
    const CandidateClass& of = set_.classes[each.classNumber];
    if (of.numRegions == 1 && sorted(reads) == sorted(call.reads) &&
        sorted(of.gives) == sorted(call.gives))
      return static_cast<search::ClassId>(each.classNumber);
  }
  return std::nullopt;
}

}  // namespace tessera::placement
