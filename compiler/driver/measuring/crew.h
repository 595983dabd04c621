// Threads that do something all at the same time.
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace tessera::driver {

/// The calling thread and others, which sleep between calls. Unlike those of a pool, none does the
/// work of another one.
class Crew {
 public:
  using Body = std::function<void(size_t thread)>;

  /// `numThreads` with the caller, at least 1.
  explicit Crew(size_t numThreads);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  /// body(0) in the caller and body(1) to body(numThreads - 1) elsewhere, beginning together;
  /// returns when all are done.
  void run(const Body& body);

 private:
  std::barrier<> barrier_;
  const Body* body_ = nullptr;  ///< Null: the threads end.
  std::vector<std::thread> others_;
};

}  // namespace tessera::driver
