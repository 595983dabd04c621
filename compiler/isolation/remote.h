// The compiler's side: a process that has the same backends, asked.
#pragma once

#include <mutex>
#include <set>

#include "compiler/backend_api/emission.h"
#include "compiler/ir/tsr.h"
#include "compiler/target/target.h"
#include "compiler/worker/worker.h"

namespace tessera::isolation {

/// One backend's process. Calls go one after the other; thread-safe. Whatever the backend does ends
/// its process at worst: errors (kTargetFailed) say what happened, as sentences about "it".
class Remote {
 public:
  /// Asks with a module, from whose context the constants come, and with what else `question` has.
  /// `progress` may be empty.
  Result<worker::Message> ask(nlohmann::json question, mlir::ModuleOp module,
                              const backend_api::Progress& progress = {});

 private:
  Status start();

  std::mutex mutex_;
  std::optional<worker::Worker> worker_;
  uint64_t process_ = 0;
  std::set<std::string> sent_;  ///< Hashes of the constants that the process has.
};

}  // namespace tessera::isolation
