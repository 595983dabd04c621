#include "artifact/validate_program.h"

#include <string>

#include "artifact/memory_range.h"
#include "artifact/validate.h"

namespace tessera::artifact {
namespace {

/// Walks the program in order and knows which buffers have a value.
class ProgramChecker {
 public:
  explicit ProgramChecker(const Bundle& bundle)
      : bundle_(bundle), isDefined_(bundle.buffers.size()) {
    for (uint32_t i = 0; i < bundle.buffers.size(); ++i) {
      roots_.push_back(rootOf(bundle, i).buffer);
    }
    // Memory of known size and place exists from the start; reading it too early is wrong but
    // harmless.
    for (uint32_t i = 0; i < bundle.buffers.size(); ++i) {
      const Storage rootStorage = bundle.buffers[roots_[i]].storage;
      const bool isInput = rootStorage == Storage::kInput && roots_[i] == i;
      const bool isFixed = isStatic(i) && isStatic(roots_[i]);
      isDefined_[i] = isInput || isFixed;
    }
  }

  Status check() {
    for (position_ = 0; position_ < bundle_.program.size(); ++position_) {
      TESSERA_TRY_VOID(std::visit([&](const auto& instruction) { return check(instruction); },
                                  bundle_.program[position_]));
    }
    for (const Port& port : bundle_.outputs) {
      if (!isDefined_[port.buffer])
        return invalidInput("output '" + port.name + "' has no producer");
    }
    return {};
  }

 private:
  bool isStatic(uint32_t buffer) const { return bundle_.buffers[buffer].sizeBytes != kDynamic; }

  Error error(const std::string& what) const {
    return invalidInput("instruction " + std::to_string(position_) + " of the artifact " + what);
  }

  Status checkExists(uint32_t buffer) const {
    if (buffer < bundle_.buffers.size()) return {};
    return error("refers to buffer " + std::to_string(buffer) + " of " +
                 std::to_string(bundle_.buffers.size()));
  }

  Status checkReadable(uint32_t buffer) const {
    TESSERA_TRY_VOID(checkExists(buffer));
    if (!isDefined_[buffer])
      return error("reads buffer " + std::to_string(buffer) + " before it has a value");
    return {};
  }

  /// Written buffers own their memory or view static memory, and belong neither to the caller nor
  /// to the file.
  Status checkWritable(uint32_t buffer) const {
    TESSERA_TRY_VOID(checkExists(buffer));
    const Storage storage = bundle_.buffers[roots_[buffer]].storage;
    if (storage == Storage::kInput || storage == Storage::kConstant) {
      return error("writes buffer " + std::to_string(buffer) + ", an input or constant");
    }
    if (roots_[buffer] != buffer && !(isStatic(buffer) && isStatic(roots_[buffer]))) {
      return error("writes buffer " + std::to_string(buffer) + ", a view with a run-time size");
    }
    return {};
  }

  /// Memory of run-time size moves when it grows, so it cannot be read by the call that writes it.
  Status checkNotInPlace(const CallInstruction& call, uint32_t output) const {
    if (isStatic(output)) return {};
    for (const uint32_t input : call.inputs) {
      if (roots_[input] == output) {
        return error("reads and writes the memory of buffer " + std::to_string(output) +
                     ", whose size is known at run time");
      }
    }
    return {};
  }

  /// An implementation that fails may have written its outputs already; the next one needs the
  /// inputs as they were.
  Status checkOperandsStay(const CallInstruction& call) const {
    for (const uint32_t output : call.outputs) {
      const MemoryRange written = memoryRangeOf(bundle_, output);
      for (const uint32_t input : call.inputs) {
        if (overlap(written, memoryRangeOf(bundle_, input)))
          return error("overwrites its operand, buffer " + std::to_string(input) +
                       ", in a region with several implementations");
      }
    }
    return {};
  }

  Status checkWorkspace(const CallInstruction& call) const {
    TESSERA_TRY_VOID(checkExists(call.workspace));
    const Buffer& workspace = bundle_.buffers[call.workspace];
    if (workspace.storage != Storage::kArena || workspace.memorySpace != 0)
      return error("has its workspace in buffer " + std::to_string(call.workspace) +
                   ", which is not in the host's arena");
    const MemoryRange scratch = memoryRangeOf(bundle_, call.workspace);
    for (const std::vector<uint32_t>* used : {&call.inputs, &call.outputs}) {
      for (const uint32_t buffer : *used) {
        if (overlap(scratch, memoryRangeOf(bundle_, buffer)))
          return error("has its workspace in the memory of buffer " + std::to_string(buffer) +
                       ", which it reads or writes");
      }
    }
    return {};
  }

  Status check(const CallInstruction& call) {
    if (call.region >= bundle_.regions.size()) {
      return error("calls region " + std::to_string(call.region) + " of " +
                   std::to_string(bundle_.regions.size()));
    }
    for (const uint32_t input : call.inputs) TESSERA_TRY_VOID(checkReadable(input));
    for (const uint32_t output : call.outputs) {
      TESSERA_TRY_VOID(checkWritable(output));
      TESSERA_TRY_VOID(checkNotInPlace(call, output));
      isDefined_[output] = true;
    }
    if (bundle_.regions[call.region].implementations.size() > 1)
      TESSERA_TRY_VOID(checkOperandsStay(call));
    if (call.workspace != kNoBuffer) TESSERA_TRY_VOID(checkWorkspace(call));
    for (const Implementation& implementation : bundle_.regions[call.region].implementations) {
      for (const DimGuard& guard : implementation.dimGuards) {
        if (guard.input >= call.inputs.size() ||
            guard.dim >= bundle_.buffers[call.inputs[guard.input]].dims.size()) {
          return error("has a guard on dimension " + std::to_string(guard.dim) + " of input " +
                       std::to_string(guard.input) + ", which does not exist");
        }
      }
    }
    return {};
  }

  Status check(const CopyInstruction& copy) {
    TESSERA_TRY_VOID(checkReadable(copy.source));
    TESSERA_TRY_VOID(checkWritable(copy.destination));
    if (!isStatic(copy.destination) && roots_[copy.source] == copy.destination) {
      return error("copies buffer " + std::to_string(copy.destination) + " into itself");
    }
    const Buffer& source = bundle_.buffers[copy.source];
    const Buffer& destination = bundle_.buffers[copy.destination];
    if (copy.sizeBytes < kDynamic)
      return error("copies " + std::to_string(copy.sizeBytes) + " bytes");
    if (!isStatic(copy.destination)) {
      const bool isWhole =
          copy.sizeBytes == kDynamic && copy.sourceOffset == 0 && copy.destinationOffset == 0;
      if (!isWhole || source.elementType != destination.elementType ||
          source.dims.size() != destination.dims.size() || !source.layout.empty()) {
        return error("must copy a whole tensor of equal type and rank into buffer " +
                     std::to_string(copy.destination));
      }
    } else if (isStatic(copy.source)) {
      const auto sourceSize = static_cast<uint64_t>(source.sizeBytes);
      if (copy.sourceOffset > sourceSize) return error("copies from past the end of its source");
      const uint64_t size = copy.sizeBytes == kDynamic ? sourceSize - copy.sourceOffset
                                                       : static_cast<uint64_t>(copy.sizeBytes);
      const auto destinationSize = static_cast<uint64_t>(destination.sizeBytes);
      if (size > sourceSize - copy.sourceOffset || copy.destinationOffset > destinationSize ||
          size > destinationSize - copy.destinationOffset) {
        return error("copies past the end of a buffer");
      }
    }
    isDefined_[copy.destination] = true;
    return {};
  }

  Status check(const ViewInstruction& instruction) {
    TESSERA_TRY_VOID(checkExists(instruction.view));
    const Buffer& view = bundle_.buffers[instruction.view];
    if (view.storage != Storage::kView) return error("shapes a buffer that is no view");
    TESSERA_TRY_VOID(checkReadable(view.index));
    if (instruction.shapeBuffer != kNoBuffer) {
      TESSERA_TRY_VOID(checkReadable(instruction.shapeBuffer));
      const Buffer& shape = bundle_.buffers[instruction.shapeBuffer];
      const bool isShape = shape.elementType == ElementType::kI64 && shape.dims.size() == 1 &&
                           shape.memorySpace == 0;
      const int64_t length = isShape ? shape.dims[0] : 0;
      if (!isShape || (length != kDynamic && length != static_cast<int64_t>(view.dims.size()))) {
        return error("takes its shape from buffer " + std::to_string(instruction.shapeBuffer) +
                     ", which is no list of " + std::to_string(view.dims.size()) + " i64");
      }
    } else {
      TESSERA_TRY_VOID(checkViewDims(instruction, view, bundle_.buffers[view.index]));
    }
    isDefined_[instruction.view] = true;
    return {};
  }

  Status checkViewDims(const ViewInstruction& instruction, const Buffer& view,
                       const Buffer& viewed) const {
    if (instruction.dims.size() != view.dims.size()) {
      return error("gives " + std::to_string(instruction.dims.size()) +
                   " dimensions to a view of rank " + std::to_string(view.dims.size()));
    }
    int inferred = 0;
    for (const int64_t dim : instruction.dims) {
      inferred += dim == kDynamic ? 1 : 0;
      if (dim < kDynamic &&
          (dim < viewDimOf(UINT32_MAX) || -2 - dim >= static_cast<int64_t>(viewed.dims.size()))) {
        return error("takes a dimension from buffer " + std::to_string(view.index) +
                     " that it does not have");
      }
    }
    if (inferred > 1) return error("leaves more than one dimension of a view open");
    return {};
  }

  const Bundle& bundle_;
  std::vector<bool> isDefined_;
  std::vector<uint32_t> roots_;
  size_t position_ = 0;
};

}  // namespace

Status validateProgram(const Bundle& bundle) { return ProgramChecker(bundle).check(); }

}  // namespace tessera::artifact
