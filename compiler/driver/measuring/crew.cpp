#include "compiler/driver/measuring/crew.h"

namespace tessera::driver {

Crew::Crew(size_t numThreads) : barrier_(static_cast<std::ptrdiff_t>(numThreads)) {
  for (size_t thread = 1; thread < numThreads; ++thread) {
    others_.emplace_back([this, thread] {
      for (;;) {
        barrier_.arrive_and_wait();
        if (body_ == nullptr) return;
        (*body_)(thread);
        barrier_.arrive_and_wait();
      }
    });
  }
}

Crew::~Crew() {
  body_ = nullptr;
  barrier_.arrive_and_wait();
  for (std::thread& thread : others_) thread.join();
}

void Crew::run(const Body& body) {
  body_ = &body;
  barrier_.arrive_and_wait();
  body(0);
  barrier_.arrive_and_wait();
}

}  // namespace tessera::driver
