#include "runtime/backend/space.h"

#include <cstring>
#include <utility>

#include "runtime/backend/load_services.h"

namespace tessera::runtime {
namespace {

bool usesPeerCopy(const Space& destination, const Space& source) {
  return !destination.isHost() && !source.isHost() &&
         destination.device->isOfSameHalf(*source.device) &&
         destination.device->table().copy_peer != nullptr;
}

/// Whether the bytes go through the host's memory.
bool isStaged(const Space& destination, const Space& source) {
  return !destination.isHost() && !source.isHost() && !usesPeerCopy(destination, source);
}

Outcome copyOnDevice(const Device& device,
                     int32_t (*function)(void* device, const tessera_copy* copy),
                     const Place& destination, const Place& source, uint64_t sizeBytes,
                     const Sync& sync, const Services& services) {
  services.message.clear();
  const tessera_copy copy = {
      .size = sizeof(copy),
      .num_wait_events = static_cast<uint32_t>(sync.waits.size()),
      .services = services.table,
      .source_space = source.space.number,
      .destination_space = destination.space.number,
      .source_device = source.space.isHost() ? nullptr : source.space.device->handle(),
      .source = source.data,
      .destination = destination.data,
      .size_bytes = sizeBytes,
      .wait_events = sync.waits.data(),
      .signal_event = sync.signal};
  if (function(device.handle(), &copy) == 0) return {};
  return failure(TESSERA_ERROR_KERNEL,
                 services.messageOr("a copy from '" + source.space.name + "' to '" +
                                    destination.space.name + "' failed"));
}

}  // namespace

bool findSpace(const Device& device, const std::string& name, Space& space) {
  tessera_space found = {};
  found.size = sizeof(found);
  const auto& table = device.table();
  if (table.find_space == nullptr || table.find_space(device.handle(), name.c_str(), &found) != 0)
    return false;
  space = {.name = name, .device = &device, .number = found.number, .dlpack = found.device};
  return true;
}

SpaceMemory& SpaceMemory::operator=(SpaceMemory&& other) noexcept {
  std::swap(host_, other.host_);
  std::swap(device_, other.device_);
  std::swap(number_, other.number_);
  std::swap(deviceData_, other.deviceData_);
  std::swap(deviceBytes_, other.deviceBytes_);
  return *this;
}

void SpaceMemory::free() {
  if (device_ != nullptr) device_->table().space_free(device_->handle(), number_, deviceData_);
  device_ = nullptr;
}

Outcome SpaceMemory::reserve(const Space& space, uint64_t bytes, const char* what) {
  const auto shortOf = [&](const std::string& reason) {
    return failure(TESSERA_ERROR_OUT_OF_MEMORY, "no memory for " + std::string(what) + " of " +
                                                    std::to_string(bytes) + " bytes" + reason);
  };
  if (space.isHost()) return host_.reserve(bytes) ? Outcome{} : shortOf("");
  if (device_ != nullptr && bytes <= deviceBytes_) return {};
  LoadServices services;
  void* data = nullptr;
  const Device& device = *space.device;
  if (device.table().space_alloc(device.handle(), services.services(), space.number, bytes,
                                 &data) != 0) {
    const std::string reason = services.messageOr("");
    return shortOf(" in '" + space.name + "'" + (reason.empty() ? "" : ": " + reason));
  }
  free();
  device_ = &device;
  number_ = space.number;
  deviceData_ = data;
  deviceBytes_ = bytes;
  return {};
}

const Device* copyDevice(const Space& destination, const Space& source) {
  if (isStaged(destination, source)) return nullptr;
  return destination.isHost() ? source.device : destination.device;
}

Outcome copyBytes(Place destination, Place source, uint64_t sizeBytes, const Sync& sync,
                  const CopyMeans& means) {
  const Space& to = destination.space;
  const Space& from = source.space;
  if (to.isHost() && from.isHost()) {
    std::memmove(destination.data, source.data, sizeBytes);
    return {};
  }
  if (from.isHost()) {
    return copyOnDevice(*to.device, to.device->table().copy_in, destination, source, sizeBytes,
                        sync, means.services);
  }
  if (to.isHost()) {
    return copyOnDevice(*from.device, from.device->table().copy_out, destination, source, sizeBytes,
                        sync, means.services);
  }
  if (usesPeerCopy(to, from)) {
    return copyOnDevice(*to.device, to.device->table().copy_peer, destination, source, sizeBytes,
                        sync, means.services);
  }
  if (!means.staging.reserve(sizeBytes)) {
    return failure(
        TESSERA_ERROR_OUT_OF_MEMORY,
        "no memory for a copy of " + std::to_string(sizeBytes) + " bytes through the host");
  }
  static const Space kHost;
  const Place middle{.space = kHost, .data = static_cast<std::byte*>(means.staging.data())};
  TESSERA_RUNTIME_TRY(copyOnDevice(*from.device, from.device->table().copy_out, middle, source,
                                   sizeBytes, {}, means.services));
  return copyOnDevice(*to.device, to.device->table().copy_in, destination, middle, sizeBytes, {},
                      means.services);
}

}  // namespace tessera::runtime
