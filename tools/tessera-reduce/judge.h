// What becomes of a model: whether it fails as another one does.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tessera/status.h"

namespace tessera::reduce {

/// Runs `tessera run --data` on some targets, in a process of its own.
struct Judge {
  std::string tool;                  ///< The program.
  std::vector<std::string> options;  ///< Targets and the like.
  std::chrono::seconds timeLimit{60};

  /// Of a folder that Cutter wrote. "" where all is well; else what happened: "results differ", "a
  /// target failed", "it is refused", "it crashed (signal 6, Aborted)", "it hangs". Errors: the
  /// program cannot be started; kUsage where it does not take the options, after it said so on
  /// standard error.
  Result<std::string> judge(const std::string& folder) const;
};

/// The command that is run: its words.
std::vector<std::string> runCommand(const Judge& judge, const std::string& folder);

}  // namespace tessera::reduce
