// Compiled models of one region, one for each number of threads that contexts ask for.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "openvino/openvino.hpp"

namespace tessera_openvino {

/// A region compiled for a number of threads.
struct Engine {
  int numThreads = 1;
  int numUsers = 0;  ///< Contexts.
  ov::CompiledModel compiled;
};

/// Engines hold weights of their own, packed, and run one inference at a time. So contexts share
/// one, unless the machine has cores for more at once. Thread-safe.
class Engines {
 public:
  /// Region `region` of a blob that is valid as long as this. Throws where there is none.
  Engines(std::span<const std::byte> blob, uint64_t region);

  /// An engine for a context, which gives it back when it lets go; compiles where there is none to
  /// share. Throws what OpenVINO throws.
  std::shared_ptr<Engine> acquire(int numThreads);

 private:
  /// The last engine is kept for whoever comes next, others that nobody uses go.
  void release(const std::shared_ptr<Engine>& engine);

  std::span<const std::byte> blob_;
  std::string proto_;  ///< With addresses of weights in the blob.
  std::mutex mutex_;
  std::vector<std::shared_ptr<Engine>> engines_;
};

}  // namespace tessera_openvino
