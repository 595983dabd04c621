// What an executable opens of its backends: halves, devices and code, each once.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/reader.h"
#include "runtime/backend/backend_library.h"
#include "runtime/backend/device.h"
#include "runtime/backend/space.h"

namespace tessera::runtime {

/// One thread at a time. The artifact outlives it.
class Resources {
 public:
  Resources(const artifact::Artifact& artifact,
            std::span<const tessera_backend_runtime* const> backends)
      : artifact_(artifact), library_(artifact.bundle, backends) {}
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;
  ~Resources();

  /// The device of a target's text. Errors, the same when asked again: BACKEND, BACKEND_LOAD.
  Outcome device(const std::string& target, const Device*& device);

  /// The code blob as an instance on the device. Errors: CHECKSUM, BACKEND_LOAD.
  Outcome instance(const Device& device, uint32_t codeBlob, void*& instance);

  /// A device that has the memory space, of those that implementations are for if one of them has,
  /// else of those that it names. Errors: BACKEND.
  Outcome space(const artifact::MemorySpace& stored, Space& space);

 private:
  struct Opened {
    Outcome outcome;
    std::unique_ptr<Device> device;
  };
  Opened open(const std::string& target);

  const artifact::Artifact& artifact_;
  BackendLibrary library_;
  std::map<std::string, Opened> devices_;  ///< By text of the target.
  std::map<std::pair<const Device*, uint32_t>, void*> instances_;
};

}  // namespace tessera::runtime
