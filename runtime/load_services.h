// Host services for the calls that backends get while an artifact loads: no threads, no outputs,
// messages are kept.
#pragma once

#include <string>

#include "runtime/scratch_memory.h"
#include "tessera/backend_runtime.h"

namespace tessera::runtime {

class LoadServices {
 public:
  LoadServices();
  LoadServices(const LoadServices&) = delete;
  LoadServices& operator=(const LoadServices&) = delete;

  /// Calls through it change this object.
  const tessera_host_services* services() { return &services_; }
  /// The last error message, or `otherwise` when the backend gave none.
  std::string messageOr(const std::string& otherwise) const {
    return message_.empty() ? otherwise : message_;
  }

 private:
  tessera_host_services services_ = {};
  std::string message_;
  AlignedMemory workspace_;
  ScratchMemory scratch_;
};

}  // namespace tessera::runtime
