// Memory spaces of an executable and memory in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/backend/device.h"
#include "runtime/backend/services.h"
#include "runtime/memory/aligned_memory.h"

namespace tessera::runtime {

/// The host's memory, or a space of a device.
struct Space {
  std::string name;
  const Device* device = nullptr;  ///< Who allocates and copies; null: the host.
  uint32_t number = 0;             ///< The device's number for it.
  tessera_device dlpack = {TESSERA_DEVICE_CPU, 0};

  bool isHost() const { return device == nullptr; }
};

/// Whether regions of the device may have arguments in the space of that name. `space` gets its
/// number and DLPack device when they may.
bool findSpace(const Device& device, const std::string& name, Space& space);

/// Memory in one space that grows.
class SpaceMemory {
 public:
  SpaceMemory() = default;
  SpaceMemory(SpaceMemory&& other) noexcept { *this = std::move(other); }
  SpaceMemory& operator=(SpaceMemory&& other) noexcept;
  ~SpaceMemory() { free(); }

  /// Makes at least `bytes` available, and a valid address for 0; growing loses the contents. When
  /// memory is short, OUT_OF_MEMORY for a piece called `what`, and the old memory stands.
  Outcome reserve(const Space& space, uint64_t bytes, const char* what);
  bool isHosts() const { return device_ == nullptr; }
  void* data() const { return device_ != nullptr ? deviceData_ : host_.data(); }
  uint64_t sizeBytes() const { return device_ != nullptr ? deviceBytes_ : host_.sizeBytes(); }

 private:
  void free();

  AlignedMemory host_;
  const Device* device_ = nullptr;
  uint32_t number_ = 0;
  void* deviceData_ = nullptr;
  uint64_t deviceBytes_ = 0;
};

/// An address in a space.
struct Place {
  const Space& space;
  std::byte* data;
};

/// Events of one operation: those to wait for, and the one to signal.
struct Sync {
  std::span<void* const> waits = {};
  void* signal = nullptr;  ///< Null: done on return.
};

/// The device that a copy between two places runs on, whose events it waits for and signals; null
/// when the host makes it, or makes it in two steps.
const Device* copyDevice(const Space& destination, const Space& source);

/// What a copy uses of the caller's.
struct CopyMeans {
  AlignedMemory& staging;  ///< Host memory for what goes between devices through the host.
  Services services;
};

/// Copies bytes, which may overlap, between any two spaces. What goes through the host takes place
/// in full before the return. Errors: KERNEL, OUT_OF_MEMORY.
Outcome copyBytes(Place destination, Place source, uint64_t sizeBytes, const Sync& sync,
                  const CopyMeans& means);

}  // namespace tessera::runtime
