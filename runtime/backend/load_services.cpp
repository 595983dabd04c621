#include "runtime/backend/load_services.h"

#include "runtime/backend/parallel_for.h"
#include "runtime/backend/refusal_text.h"

namespace tessera::runtime {

LoadServices::LoadServices() : numThreads_(availableCores()) {
  services_.size = sizeof(services_);
  services_.host = this;
  services_.parallel_for = [](void* host, int64_t n, void (*body)(void*, int64_t, int64_t),
                              void* context) -> int32_t {
    auto& self = *static_cast<LoadServices*>(host);
    self.scratch_.setThreads(self.numThreads_);
    parallelFor(n, self.numThreads_, body, context);
    return self.scratch_.wasShort() ? 1 : 0;
  };
  services_.alloc_output = [](void*, uint32_t, uint32_t, const int64_t*) -> void* {
    return nullptr;
  };
  services_.workspace = [](void* host, size_t bytes) -> void* {
    AlignedMemory& workspace = static_cast<LoadServices*>(host)->workspace_;
    return workspace.reserve(bytes) ? workspace.data() : nullptr;
  };
  services_.log = [](void* host, int32_t level, const char* message) {
    if (level == TESSERA_LOG_ERROR && message != nullptr)
      static_cast<LoadServices*>(host)->message_ = message;
  };
  services_.num_threads = [](void* host) { return static_cast<LoadServices*>(host)->numThreads_; };
  services_.refuse = [](void* host, uint32_t, const char* text, int64_t found, int64_t expected) {
    if (text != nullptr)
      static_cast<LoadServices*>(host)->message_ = refusalText(text, found, expected);
  };
  services_.allocate = [](void* host, size_t bytes) {
    return static_cast<LoadServices*>(host)->scratch_.own().allocate(bytes);
  };
  services_.release = [](void* host, void* memory) {
    static_cast<LoadServices*>(host)->scratch_.own().release(memory);
  };
}

}  // namespace tessera::runtime
