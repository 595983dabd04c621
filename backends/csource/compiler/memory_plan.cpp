// Values between nests share the workspace as their lifetimes allow (base/greedy_placement.h). What
// leaves the region is computed in its output, and the parts of a concatenation in their place in
// the whole, where nothing stands against it.
#include "backends/csource/compiler/memory_plan.h"

#include "base/alignment.h"
#include "base/greedy_placement.h"
#include "compiler/ir/host_views.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::backend_csource {

using namespace mlir;

static bool isRename(Operation* op) { return ir::isRename(op) || isa<ir::DropoutOp>(op); }

bool isView(Operation* op) {
  if (isRename(op)) return true;
  return isa<ir::SliceOp, ir::SplitOp>(op) && ir::contiguousParts(op).has_value();
}

static int64_t bytesOf(Value value) { return ir::physicalSizeBytes(typeOf(value)); }

/// Whether a nest computes the value.
static bool isComputed(Value value) {
  Operation* op = value.getDefiningOp();
  return op && !isa<ir::ConstantOp>(op);
}

MemoryPlan::MemoryPlan(func::FuncOp region, ArrayRef<Nest> nests) {
  Block& body = region.getBody().front();
  addViews(body);
  for (Operation& op : body) {
    if (auto concat = dyn_cast<ir::ConcatOp>(op)) addConcatParts(concat);
  }
  for (const BlockArgument argument : body.getArguments())
    places_[argument] = {.kind = Place::Kind::kInput, .index = argument.getArgNumber()};
  for (auto constant : body.getOps<ir::ConstantOp>())
    places_[constant.getResult()] = {.kind = Place::Kind::kConstant,
                                     .constant = constant.getResult()};
  placeOutputs(region);
  placeInWorkspace(body.getTerminator(), nests);
}

MemoryPlan::Part MemoryPlan::resolve(Value value) const {
  Part part{.whole = value};
  for (auto it = parts_.find(value); it != parts_.end(); it = parts_.find(part.whole)) {
    part.whole = it->second.whole;
    part.offsetBytes += it->second.offsetBytes;
  }
  return part;
}

void MemoryPlan::addViews(Block& body) {
  for (Operation& op : body.without_terminator()) {
    if (isa<ir::ConstantOp>(op) || !isView(&op)) continue;
    const SmallVector<int64_t> offsets =
        isRename(&op) ? SmallVector<int64_t>(op.getNumResults(), 0) : *ir::contiguousParts(&op);
    for (auto [result, offset] : llvm::zip_first(op.getResults(), offsets))
      parts_[result] = {.whole = op.getOperand(0), .offsetBytes = offset};
  }
}

void MemoryPlan::addConcatParts(Operation* concat) {
  const auto offsets = ir::contiguousParts(concat);
  if (!offsets) return;
  for (auto [i, operand] : llvm::enumerate(concat->getOperands())) {
    const Part part = resolve(operand);
    // A whole that is a part of something else already does not move a second time.
    if (part.offsetBytes != 0 || !isComputed(part.whole) ||
        bytesOf(part.whole) != bytesOf(operand) || part.whole == concat->getResult(0))
      continue;
    parts_[part.whole] = {.whole = concat->getResult(0), .offsetBytes = (*offsets)[i]};
    inPlace_.insert({concat, static_cast<unsigned>(i)});
  }
}

void MemoryPlan::placeOutputs(func::FuncOp region) {
  Operation* terminator = region.getBody().front().getTerminator();
  for (OpOperand& returned : terminator->getOpOperands()) {
    const unsigned output = returned.getOperandNumber();
    const Part part = resolve(returned.get());
    const bool isWhole = part.offsetBytes == 0 && bytesOf(part.whole) == bytesOf(returned.get());
    if (isWhole && isComputed(part.whole) && !places_.contains(part.whole))
      places_[part.whole] = {.kind = Place::Kind::kOutput, .index = output};
    else
      copies_.push_back({.source = {}, .output = output, .sizeBytes = bytesOf(returned.get())});
  }
}

void MemoryPlan::placeInWorkspace(Operation* terminator, ArrayRef<Nest> nests) {
  llvm::MapVector<Value, base::PlacedBuffer> buffers;
  const auto touch = [&](Value value, int64_t time) {
    const Value whole = resolve(value).whole;
    if (places_.contains(whole)) return;
    const auto size = static_cast<int64_t>(
        base::alignUp(static_cast<size_t>(bytesOf(whole)), base::kBufferAlignment));
    const auto [it, isNew] = buffers.try_emplace(
        whole, base::PlacedBuffer{.sizeBytes = size, .first = time, .last = time});
    it->second.last = time;
  };
  for (auto [i, nest] : llvm::enumerate(nests)) {
    const auto time = static_cast<int64_t>(i);
    const SmallVector<Operation*> operations = nest.operations();
    for (Operation* op : operations) {
      for (const Value operand : op->getOperands()) {
        // What passes inside of a nest has no memory.
        if (!operand.getDefiningOp() || !llvm::is_contained(operations, operand.getDefiningOp()))
          touch(operand, time);
      }
    }
    for (const Value result : nest.root()->getResults()) touch(result, time);
  }
  for (const OutputCopy& copy : copies_)
    touch(terminator->getOperand(copy.output), static_cast<int64_t>(nests.size()));
  std::vector<base::PlacedBuffer> placed;
  for (const auto& [value, buffer] : buffers) placed.push_back(buffer);
  workspaceBytes_ = base::placeBuffers(placed);
  for (auto [entry, buffer] : llvm::zip_equal(buffers, placed))
    places_[entry.first] = {.kind = Place::Kind::kWorkspace, .offsetBytes = buffer.offset};
  for (OutputCopy& copy : copies_) copy.source = placeOf(terminator->getOperand(copy.output));
}

Place MemoryPlan::placeOf(Value value) const {
  const Part part = resolve(value);
  Place place = places_.lookup(part.whole);
  place.offsetBytes += part.offsetBytes;
  return place;
}

bool MemoryPlan::isInPlace(Operation* concat, unsigned index) const {
  return inPlace_.contains({concat, index});
}

}  // namespace tessera::backend_csource
