// Host services for the calls that backends get outside of a run, and for memory whenever it is
// allocated: no outputs, messages are kept.
#pragma once

#include <string>

#include "runtime/backend/services.h"
#include "runtime/backend/thread_scratch.h"

namespace tessera::runtime {

class LoadServices {
 public:
  /// With all cores of the process.
  LoadServices();
  LoadServices(const LoadServices&) = delete;
  LoadServices& operator=(const LoadServices&) = delete;

  /// Calls through it change this object.
  const tessera_host_services* services() { return &services_; }
  /// The same, with the message; empty before the next call.
  Services forNextCall() {
    message_.clear();
    return {.table = &services_, .message = message_};
  }
  /// The last error message, or `otherwise` when the backend gave none.
  std::string messageOr(const std::string& otherwise) const {
    return message_.empty() ? otherwise : message_;
  }

 private:
  tessera_host_services services_ = {};
  std::string message_;
  int32_t numThreads_;
  AlignedMemory workspace_;
  ThreadScratch scratch_;
};

}  // namespace tessera::runtime
