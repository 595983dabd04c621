// Executing the host program: one step per instruction; call.cpp has the calls of regions.
#include <algorithm>
#include <array>
#include <span>

#include "base/limits.h"
#include "base/shape_text.h"
#include "runtime/context.h"
#include "runtime/tensor_check.h"

namespace tessera::runtime {

using artifact::kDynamic;

uint64_t Context::sizeBytesNow(uint32_t buffer) const {
  if (isStatic(buffer)) return static_cast<uint64_t>(bundle_.buffers[buffer].sizeBytes);
  uint64_t size = elementSizeBytes(bundle_.buffers[buffer].elementType);
  const tessera_dltensor& tensor = tensors_[buffer];
  for (int32_t i = 0; i < tensor.ndim; ++i) size *= static_cast<uint64_t>(tensor.shape[i]);
  return size;
}

Outcome Context::checkInputs() const {
  for (size_t i = 0; i < isInputSet_.size(); ++i) {
    if (!isInputSet_[i]) {
      return failure(TESSERA_ERROR_INPUT_NOT_SET,
                     "input '" + bundle_.inputs[i].name + "' is not set");
    }
  }
  for (const EqualDims& pair : equalDims_) {
    const artifact::Port& first = bundle_.inputs[pair.firstInput];
    const artifact::Port& second = bundle_.inputs[pair.input];
    const int64_t firstSize = tensors_[first.buffer].shape[pair.firstDim];
    const int64_t secondSize = tensors_[second.buffer].shape[pair.dim];
    if (firstSize != secondSize) {
      return failure(TESSERA_ERROR_SHAPE, "dimension '" + first.dimNames[pair.firstDim] + "' is " +
                                              std::to_string(firstSize) + " in input '" +
                                              first.name + "' but " + std::to_string(secondSize) +
                                              " in input '" + second.name + "'");
    }
  }
  return {};
}

Outcome Context::run() {
  hasRun_ = false;
  TESSERA_RUNTIME_TRY(checkInputs());
  Outcome outcome = runProgram();
  // What was begun ends before the caller gets its memory back, whatever failed.
  Outcome rest = events_.waitForAll();
  if (trace_.isOn() && outcome.ok() && rest.ok()) trace_.addWork(events_);
  scratch_.releaseAll();
  if (outcome.ok()) outcome = std::move(rest);
  if (!outcome.ok()) return outcome;
  for (size_t i = 0; i < placements_.size(); ++i) {
    const uint32_t buffer = bundle_.outputs[i].buffer;
    if (placements_[i].data == nullptr || !placements_[i].isCopied) continue;
    const Place destination{.space = executable_.spaceOf(buffer),
                            .data = static_cast<std::byte*>(placements_[i].data)};
    TESSERA_RUNTIME_TRY(copyBetween(destination, placeOf(buffer), sizeBytesNow(buffer), {}));
  }
  hasRun_ = true;
  return {};
}

Outcome Context::runProgram() {
  if (trace_.isOn()) events_.forgetWork();
  for (size_t i = 0; i < bundle_.program.size(); ++i) TESSERA_RUNTIME_TRY(execute(i));
  return {};
}

Outcome Context::execute(size_t position) {
  const artifact::Instruction& instruction = bundle_.program[position];
  if (const auto* viewInstruction = std::get_if<artifact::ViewInstruction>(&instruction))
    return view(*viewInstruction);
  const auto* copied = std::get_if<artifact::CopyInstruction>(&instruction);
  const CallSite* site = copied != nullptr ? nullptr : &executable_.callSites()[position];
  if (!isProfiling_ && !trace_.isOn())
    return copied != nullptr ? copy(*copied) : call(*site, calls_[position]);
  const uint64_t begin = nowNs();
  Outcome outcome = copied != nullptr ? copy(*copied) : call(*site, calls_[position]);
  if (trace_.isOn()) trace_.addInstruction(position, copied != nullptr ? lastCopyBytes_ : 0, begin);
  if (isProfiling_ && site != nullptr) {
    tessera_profile_entry& entry = profile_[site->instruction->region];
    ++entry.count;
    entry.time_ns += nowNs() - begin;
  }
  return outcome;
}

Outcome Context::setDims(uint32_t buffer, uint32_t rank, const int64_t* dims, uint64_t& sizeBytes) {
  const artifact::Buffer& declared = bundle_.buffers[buffer];
  bool fits = rank == declared.dims.size(), isTooLarge = false;
  sizeBytes = elementSizeBytes(declared.elementType);
  for (uint32_t i = 0; fits && i < rank; ++i) {
    fits = dims[i] >= 0 && (declared.dims[i] == kDynamic || declared.dims[i] == dims[i]);
    isTooLarge |=
        fits && __builtin_mul_overflow(sizeBytes, static_cast<uint64_t>(dims[i]), &sizeBytes);
  }
  if (!fits || isTooLarge) {
    // dims may be this tensor's own shape, filled by infer_shapes.
    const std::string reason = fits ? ", which is too large for any memory"
                                    : ", declared is " + base::shapeText(declared.dims);
    Outcome outcome = failure(TESSERA_ERROR_SHAPE,
                              "a tensor got shape " + base::shapeText({dims, rank}) + reason);
    std::ranges::copy(declared.dims, tensors_[buffer].shape);
    return outcome;
  }
  std::copy_n(dims, rank, tensors_[buffer].shape);
  return {};
}

Outcome Context::allocateBuffer(uint32_t buffer, uint32_t rank, const int64_t* dims) {
  uint64_t sizeBytes = 0;
  TESSERA_RUNTIME_TRY(setDims(buffer, rank, dims, sizeBytes));
  if (isStatic(buffer)) return {};  // Has its memory already.
  return reserveRoot(buffer, sizeBytes);
}

Outcome Context::copyBetween(Place destination, Place source, uint64_t sizeBytes,
                             const Sync& sync) {
  const Services services{.table = &services_, .message = backendMessage_};
  Outcome outcome =
      copyBytes(destination, source, sizeBytes, sync, {.staging = staging_, .services = services});
  scratch_.releaseAll();
  return outcome;
}

Outcome Context::copy(const artifact::CopyInstruction& copy) {
  const tessera_dltensor& source = tensors_[copy.source];
  if (!isStatic(copy.destination)) {
    TESSERA_RUNTIME_TRY(
        allocateBuffer(copy.destination, static_cast<uint32_t>(source.ndim), source.shape));
  }
  const uint64_t sourceSize = sizeBytesNow(copy.source);
  const uint64_t destinationSize = sizeBytesNow(copy.destination);
  auto size = static_cast<uint64_t>(copy.sizeBytes);
  if (copy.sizeBytes == kDynamic) size = sourceSize - std::min(sourceSize, copy.sourceOffset);
  const bool fits = copy.sourceOffset <= sourceSize && size <= sourceSize - copy.sourceOffset &&
                    copy.destinationOffset <= destinationSize &&
                    size <= destinationSize - copy.destinationOffset;
  if (!fits) {
    return failure(TESSERA_ERROR_SHAPE, "a copy of " + std::to_string(size) +
                                            " bytes does not fit between tensors of " +
                                            std::to_string(sourceSize) + " and " +
                                            std::to_string(destinationSize) + " bytes");
  }
  lastCopyBytes_ = size;
  Place to = placeOf(copy.destination);
  Place from = placeOf(copy.source);
  to.data += copy.destinationOffset;
  from.data += copy.sourceOffset;
  const Device* device = copyDevice(to.space, from.space);
  Sync sync;
  TESSERA_RUNTIME_TRY(events_.begin(copy.waits, copy.signal, device, sync));
  TESSERA_RUNTIME_TRY(copyBetween(to, from, size, sync));
  events_.end(copy.signal, device, nullptr);
  return {};
}

/// The shape that a view instruction gives: `asked` with its placeholders replaced, except one open
/// dimension.
static Outcome resolveViewDims(std::span<const int64_t> asked, bool isReshape,
                               const tessera_dltensor& viewed, uint64_t elementSize,
                               uint64_t availableBytes, int64_t* dims) {
  uint64_t known = elementSize;
  size_t open = asked.size();
  for (size_t i = 0; i < asked.size(); ++i) {
    dims[i] = asked[i];
    if (isReshape && asked[i] == 0 && i < static_cast<size_t>(viewed.ndim))
      dims[i] = viewed.shape[i];
    if (!isReshape && asked[i] < kDynamic) dims[i] = viewed.shape[-2 - asked[i]];
    const bool isOpen = dims[i] == kDynamic && open == asked.size();
    if (isOpen) {
      open = i;
    } else if (dims[i] < 0 ||
               __builtin_mul_overflow(known, static_cast<uint64_t>(dims[i]), &known)) {
      return failure(TESSERA_ERROR_SHAPE, "a reshape asks for shape " + base::shapeText(asked));
    }
  }
  if (open < asked.size())
    dims[open] = known == 0 ? 0 : static_cast<int64_t>(availableBytes / known);
  return {};
}

Outcome Context::view(const artifact::ViewInstruction& instruction) {
  const artifact::Buffer& buffer = bundle_.buffers[instruction.view];
  const uint64_t viewedSize = sizeBytesNow(buffer.index);
  const size_t rank = buffer.dims.size();
  const bool isReshape = instruction.shapeBuffer != artifact::kNoBuffer;
  std::span<const int64_t> asked(instruction.dims);
  if (isReshape) {
    const auto count = static_cast<size_t>(sizeBytesNow(instruction.shapeBuffer) / sizeof(int64_t));
    if (count != rank) {
      return failure(TESSERA_ERROR_SHAPE, "a reshape to rank " + std::to_string(rank) + " got " +
                                              std::to_string(count) + " sizes");
    }
    asked = {reinterpret_cast<const int64_t*>(dataOf(instruction.shapeBuffer)), count};
  }
  std::array<int64_t, base::kMaxRank> dims = {};
  const uint64_t available = viewedSize - std::min(viewedSize, buffer.offset);
  TESSERA_RUNTIME_TRY(resolveViewDims(asked, isReshape, tensors_[buffer.index],
                                      elementSizeBytes(buffer.elementType), available,
                                      dims.data()));
  uint64_t size = 0;
  TESSERA_RUNTIME_TRY(setDims(instruction.view, static_cast<uint32_t>(rank), dims.data(), size));
  if (buffer.offset > viewedSize || size > available) {
    return failure(TESSERA_ERROR_SHAPE,
                   "a view of shape " + base::shapeText(std::span(dims).first(rank)) +
                       " does not fit into a tensor of " + std::to_string(viewedSize) + " bytes");
  }
  if (isReshape && size != viewedSize) {
    return failure(TESSERA_ERROR_SHAPE,
                   "a reshape to " + base::shapeText(std::span(dims).first(rank)) +
                       " does not use all " + std::to_string(viewedSize) + " bytes of its tensor");
  }
  return {};
}

}  // namespace tessera::runtime
