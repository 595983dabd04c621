// A child process with a socket to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/worker/channel.h"
#include "tessera/status.h"

namespace tessera::worker {

/// The file descriptor at which a child has its end of the socket.
constexpr int kChildSocket = 3;

/// Where the program `tessera` is: TESSERA_WORKER, this program when it is called so, else beside
/// this library or program or in `bin` beside its folder. Errors (kTargetFailed): it is nowhere.
Result<std::string> workerProgram();

/// How a process went: by itself where it has an exit code or a signal, else it had to be ended.
struct Ending {
  std::optional<int> exitCode = {};
  int signal = 0;
};
/// "crashed (signal 11, Segmentation fault)", "ended its process (exit code 3)"; empty when it had
/// to be ended.
std::string describe(const Ending& ending);

/// A spawned process, leader of a group of its own. Ended, with what it started, when it goes.
class Process {
 public:
  /// Starts `command[0]`, spawned and not forked: libgomp hangs in a forked child. It has an empty
  /// stdin and the standard error of this process for both of its outputs. Errors (kTargetFailed).
  static Result<Process> start(const std::vector<std::string>& command);

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  Channel& channel() { return channel_; }

  /// Lets it have no more than so many bytes of memory of its own (RLIMIT_DATA; files that are
  /// mapped and shared do not count): more is refused to it.
  void limitMemory(uint64_t bytes) const;

  /// Ends it, once.
  Ending end();

 private:
  Process(pid_t pid, Channel channel) : pid_(pid), channel_(std::move(channel)) {}

  pid_t pid_ = -1;
  Channel channel_;
};

}  // namespace tessera::worker
