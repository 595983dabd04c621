#include "artifact/validate.h"

#include <algorithm>
#include <set>
#include <string>

#include "artifact/format.h"
#include "artifact/target_name.h"
#include "artifact/validate_events.h"
#include "artifact/validate_program.h"
#include "base/limits.h"

namespace tessera::artifact {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 62;

bool isKnown(ElementType type) { return elementSizeBytes(type) != 0; }

Error bufferError(uint32_t index, const std::string& what) {
  return invalidInput("buffer " + std::to_string(index) + " of the artifact " + what);
}

/// Type, shape and size of one buffer.
Status validateShape(const Buffer& buffer, uint32_t index) {
  if (!isKnown(buffer.elementType)) {
    return bufferError(index, "has unsupported element type " +
                                  std::to_string(static_cast<int>(buffer.elementType)));
  }
  if (buffer.dims.size() > base::kMaxRank)
    return bufferError(index, "has rank " + std::to_string(buffer.dims.size()));
  bool isDynamic = false;
  for (const int64_t dim : buffer.dims) {
    if (dim < kDynamic) return bufferError(index, "has dimension " + std::to_string(dim));
    isDynamic |= dim == kDynamic;
  }
  if (isDynamic) {
    if (buffer.sizeBytes != kDynamic)
      return bufferError(index, "has a dynamic dimension but a static size");
    return {};
  }
  const std::optional<uint64_t> plain = plainSizeBytes(buffer.elementType, buffer.dims);
  if (!plain) return bufferError(index, "is too large");
  if (buffer.sizeBytes < 0 || static_cast<uint64_t>(buffer.sizeBytes) > kMaxBytes) {
    return bufferError(index, "has size " + std::to_string(buffer.sizeBytes));
  }
  if (buffer.layout.empty() && static_cast<uint64_t>(buffer.sizeBytes) < *plain) {
    return bufferError(index, "has size " + std::to_string(buffer.sizeBytes) +
                                  ", its shape needs " + std::to_string(*plain) + " bytes");
  }
  return {};
}

/// Where the memory of one buffer is; views are checked as far as both sizes are known.
Status validateStorage(const Bundle& bundle, uint32_t index) {
  const Buffer& buffer = bundle.buffers[index];
  if (buffer.memorySpace >= bundle.memorySpaces.size()) {
    return bufferError(index, "lives in memory space " + std::to_string(buffer.memorySpace) +
                                  " of " + std::to_string(bundle.memorySpaces.size()));
  }
  const bool isDynamic = buffer.sizeBytes == kDynamic;
  const uint64_t size = isDynamic ? 0 : static_cast<uint64_t>(buffer.sizeBytes);
  switch (buffer.storage) {
    case Storage::kInput:
    case Storage::kOutput:
    case Storage::kDynamic:
      return {};
    case Storage::kConstant:
      if (buffer.index >= bundle.constants.size()) {
        return bufferError(index, "refers to constant " + std::to_string(buffer.index) + " of " +
                                      std::to_string(bundle.constants.size()));
      }
      if (isDynamic || size > bundle.constants[buffer.index].data.sizeBytes()) {
        return bufferError(index, "is larger than its constant");
      }
      return {};
    case Storage::kArena: {
      if (isDynamic) return bufferError(index, "has a run-time size but lies in the arena");
      const uint64_t arenaBytes = bundle.memorySpaces[buffer.memorySpace].arenaBytes;
      if (buffer.offset % kBlobAlignment != 0 || buffer.offset > arenaBytes ||
          size > arenaBytes - buffer.offset) {
        return bufferError(
            index, "lies outside the arena or unaligned: offset " + std::to_string(buffer.offset) +
                       ", size " + std::to_string(size) + ", arena " + std::to_string(arenaBytes));
      }
      return {};
    }
    case Storage::kView: {
      if (buffer.index >= bundle.buffers.size()) {
        return bufferError(index, "views buffer " + std::to_string(buffer.index) + " of " +
                                      std::to_string(bundle.buffers.size()));
      }
      const Buffer& viewed = bundle.buffers[buffer.index];
      if (buffer.memorySpace != viewed.memorySpace)
        return bufferError(index, "views a buffer of another memory space");
      if (buffer.offset % elementSizeBytes(buffer.elementType) != 0 || buffer.offset > kMaxBytes) {
        return bufferError(index, "views at unaligned offset " + std::to_string(buffer.offset));
      }
      if (viewed.sizeBytes != kDynamic) {
        const auto viewedSize = static_cast<uint64_t>(viewed.sizeBytes);
        if (buffer.offset > viewedSize || size > viewedSize - buffer.offset) {
          return bufferError(index, "reaches past the end of the buffer it views");
        }
      }
      return {};
    }
  }
  return bufferError(index, "has unknown storage kind");
}

/// Views must end at a buffer that owns memory.
Status validateAcyclic(const Bundle& bundle) {
  enum class State : uint8_t { kUnknown, kOnPath, kDone };
  std::vector<State> states(bundle.buffers.size(), State::kUnknown);
  std::vector<uint32_t> path;
  for (uint32_t start = 0; start < bundle.buffers.size(); ++start) {
    uint32_t at = start;
    while (states[at] == State::kUnknown) {
      states[at] = State::kOnPath;
      path.push_back(at);
      if (bundle.buffers[at].storage != Storage::kView) break;
      at = bundle.buffers[at].index;
      if (states[at] == State::kOnPath) return bufferError(start, "views itself");
    }
    for (const uint32_t done : path) states[done] = State::kDone;
    path.clear();
  }
  return {};
}

Status validatePorts(const Bundle& bundle) {
  std::vector<bool> isBound(bundle.buffers.size(), false);
  const auto checkPort = [&](const Port& port, std::set<std::string>& names) -> Status {
    if (port.name.empty()) return invalidInput("an input or output of the artifact has no name");
    if (!names.insert(port.name).second)
      return invalidInput("two inputs or outputs are named '" + port.name + "'");
    if (port.buffer >= bundle.buffers.size()) {
      return invalidInput("'" + port.name + "' refers to buffer " + std::to_string(port.buffer) +
                          " of " + std::to_string(bundle.buffers.size()));
    }
    if (!port.dimNames.empty() && port.dimNames.size() != bundle.buffers[port.buffer].dims.size()) {
      return invalidInput("'" + port.name + "' has " + std::to_string(port.dimNames.size()) +
                          " dimension names for rank " +
                          std::to_string(bundle.buffers[port.buffer].dims.size()));
    }
    return {};
  };
  std::set<std::string> inputNames;
  for (const Port& port : bundle.inputs) {
    TESSERA_TRY_VOID(checkPort(port, inputNames));
    if (bundle.buffers[port.buffer].storage != Storage::kInput || isBound[port.buffer]) {
      return invalidInput("input '" + port.name + "' has no input buffer of its own");
    }
    isBound[port.buffer] = true;
  }
  for (uint32_t i = 0; i < bundle.buffers.size(); ++i) {
    if (bundle.buffers[i].storage == Storage::kInput && !isBound[i])
      return bufferError(i, "belongs to no input");
  }
  std::set<std::string> outputNames;
  for (const Port& port : bundle.outputs) TESSERA_TRY_VOID(checkPort(port, outputNames));
  return {};
}

Status validateSpaces(const Bundle& bundle) {
  if (bundle.memorySpaces.empty() || bundle.memorySpaces[0].name != kHostSpace)
    return invalidInput(std::string("the first memory space of the artifact is not '") +
                        kHostSpace + "'");
  std::set<std::string> names;
  for (const MemorySpace& space : bundle.memorySpaces) {
    if (space.name.empty() || !names.insert(space.name).second)
      return invalidInput("a memory space of the artifact has no name, or that of another: '" +
                          space.name + "'");
    if (space.arenaBytes > kMaxBytes)
      return invalidInput("the artifact wants an arena that is too large");
    for (const std::string& target : space.targets) {
      if (!targetNameOf(target))
        return invalidInput("memory space '" + space.name + "' of the artifact names target '" +
                            target + "', expected kind[:device] [-name=value]...");
    }
  }
  return {};
}

Status validateBackends(const Bundle& bundle) {
  std::set<std::string> kinds;
  for (const BackendNeed& need : bundle.backends) {
    const auto name = targetNameOf(need.kind);
    if (!name || name->kind != need.kind || !kinds.insert(need.kind).second)
      return invalidInput("the artifact names backend '" + need.kind +
                          "', which is no target kind or named before");
  }
  return {};
}

Status validateConstants(const Bundle& bundle) {
  for (size_t i = 0; i < bundle.constants.size(); ++i) {
    const Constant& constant = bundle.constants[i];
    if (constant.data.sizeBytes() > kMaxBytes ||
        (constant.data.isExternal() && constant.contentHash.empty()))
      return invalidInput("constant " + std::to_string(i) +
                          " of the artifact is too large, or external without a hash");
  }
  return {};
}

Status validateRegion(const Bundle& bundle, const Region& region) {
  if (region.name.empty()) return invalidInput("a region of the artifact has no name");
  if (region.implementations.empty())
    return invalidInput("region '" + region.name + "' has no implementation");
  for (const Implementation& implementation : region.implementations) {
    if (implementation.symbol.empty())
      return invalidInput("an implementation of region '" + region.name + "' has no symbol");
    if (!targetNameOf(implementation.target)) {
      return invalidInput("an implementation of region '" + region.name + "' is for target '" +
                          implementation.target + "', expected kind[:device] [-name=value]...");
    }
    if (implementation.codeBlob >= bundle.codeBlobs.size()) {
      return invalidInput("region '" + region.name + "' refers to code blob " +
                          std::to_string(implementation.codeBlob) + " of " +
                          std::to_string(bundle.codeBlobs.size()));
    }
    if (implementation.workspaceBytes > kMaxBytes) {
      return invalidInput("region '" + region.name + "' wants a workspace of " +
                          std::to_string(implementation.workspaceBytes) + " bytes");
    }
  }
  return {};
}

}  // namespace

std::optional<uint64_t> plainSizeBytes(ElementType elementType, const std::vector<int64_t>& dims) {
  // A zero dimension makes the size zero, but the others must not overflow together either: strides
  // are products of them.
  uint64_t size = elementSizeBytes(elementType);
  bool isEmpty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    isEmpty |= dim == 0;
    if (dim > 1 && __builtin_mul_overflow(size, static_cast<uint64_t>(dim), &size))
      return std::nullopt;
    if (size > kMaxBytes) return std::nullopt;
  }
  return isEmpty ? 0 : size;
}

Root rootOf(const Bundle& bundle, uint32_t buffer) {
  Root root{.buffer = buffer};
  while (bundle.buffers[root.buffer].storage == Storage::kView) {
    root.offset += bundle.buffers[root.buffer].offset;
    root.buffer = bundle.buffers[root.buffer].index;
  }
  return root;
}

Status validate(const Bundle& bundle) {
  TESSERA_TRY_VOID(validateSpaces(bundle));
  TESSERA_TRY_VOID(validateBackends(bundle));
  TESSERA_TRY_VOID(validateConstants(bundle));
  for (uint32_t i = 0; i < bundle.buffers.size(); ++i) {
    TESSERA_TRY_VOID(validateShape(bundle.buffers[i], i));
    TESSERA_TRY_VOID(validateStorage(bundle, i));
  }
  TESSERA_TRY_VOID(validateAcyclic(bundle));
  TESSERA_TRY_VOID(validatePorts(bundle));
  for (const Region& region : bundle.regions) TESSERA_TRY_VOID(validateRegion(bundle, region));
  TESSERA_TRY_VOID(validateProgram(bundle));
  return validateEvents(bundle);
}

}  // namespace tessera::artifact
