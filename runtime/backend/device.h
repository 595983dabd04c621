// An open device of a backend.
#pragma once

#include <memory>
#include <string>

#include "artifact/target_name.h"
#include "runtime/backend/runtime_half.h"

namespace tessera::runtime {

/// One for each kind, device number and target text of an executable, shared by all code for it.
class Device {
 public:
  /// `target` is the whole text and outlives the device. Errors: BACKEND_LOAD.
  static Outcome create(const Half& half, const std::string& target,
                        const artifact::TargetName& name, std::unique_ptr<Device>& device);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  const tessera_backend_runtime& table() const { return half_.table; }
  void* handle() const { return handle_; }
  const std::string& target() const { return target_; }
  bool hasEvents() const { return half_.table.event_create != nullptr; }
  /// Whether events and addresses of one mean something to the other.
  bool isOfSameHalf(const Device& other) const { return half_.given == other.half_.given; }

 private:
  Device(const Half& half, const std::string& target) : half_(half), target_(target) {}

  const Half& half_;
  const std::string& target_;
  std::string kind_;
  void* handle_ = nullptr;
};

}  // namespace tessera::runtime
