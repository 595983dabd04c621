#include "compiler/worker/process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it.

namespace tessera::worker {

namespace fs = std::filesystem;

static constexpr const char* kProgram = "tessera";

Result<std::string> workerProgram() {
  if (const char* given = std::getenv("TESSERA_WORKER"); given != nullptr && *given != '\0')
    return std::string(given);
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  if (!failure && self.filename() == kProgram) return self.string();
  Dl_info info = {};
  const bool isKnown = dladdr(reinterpret_cast<const void*>(&workerProgram), &info) != 0 &&
                       info.dli_fname != nullptr;
  // Of a main program it is what the shell was told, which may have no folder.
  const fs::path library = isKnown ? fs::path(info.dli_fname) : fs::path();
  const fs::path folder = (library.has_parent_path() ? library : self).parent_path();
  for (const fs::path& path : {folder / kProgram, folder / ".." / "bin" / kProgram}) {
    if (access(path.c_str(), X_OK) == 0) return path.string();
  }
  return targetFailed("the program tessera, in which plugins run, is neither in " +
                      folder.string() + " nor in " + (folder / ".." / "bin").string() +
                      "; TESSERA_WORKER may name it");
}

/// Both ends of a socket, out of the way of the descriptors that a child has.
static bool connectPair(std::array<int, 2>& ends) {
  std::array<int, 2> pair = {};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return false;
  constexpr int kFirstFree = 10;
  for (size_t i = 0; i < pair.size(); ++i) {
    ends[i] = fcntl(pair[i], F_DUPFD_CLOEXEC, kFirstFree);
    close(pair[i]);
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

Result<Process> Process::start(const std::vector<std::string>& command) {
  std::array<int, 2> ends = {-1, -1};
  const bool isConnected = connectPair(ends);
  Channel ours(ends[0]);
  const Channel theirs(ends[1]);
  if (!isConnected)
    return targetFailed(std::string("cannot make a socket: ") + std::strerror(errno));
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], kChildSocket);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);  // Of its own: what it starts is ended with it.
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, command.front().c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return targetFailed("cannot start " + command.front() + ": " + std::strerror(error));
  return Process(pid, std::move(ours));
}

void Process::limitMemory(uint64_t bytes) const {
#ifndef __SANITIZE_ADDRESS__  // It reserves more than any machine has.
  const rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
  (void)prlimit(pid_, RLIMIT_DATA, &limit, nullptr);
#else
  (void)bytes;
#endif
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), channel_(std::move(other.channel_)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  return *this;
}

Process::~Process() { (void)end(); }

std::string describe(const Ending& ending) {
  if (ending.exitCode)
    return "ended its process (exit code " + std::to_string(*ending.exitCode) + ")";
  if (ending.signal == 0) return "";
  return "crashed (signal " + std::to_string(ending.signal) + ", " + strsignal(ending.signal) + ")";
}

/// Whether the child has ended; it stays a zombie, so that its number stays its own.
static bool hasEnded(pid_t pid, int options) {
  siginfo_t info = {};
  int failure = 0;
  do {
    failure = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | options);
  } while (failure != 0 && errno == EINTR);
  return failure != 0 || info.si_pid == pid;
}

Ending Process::end() {
  if (pid_ <= 0) return {};
  const pid_t pid = std::exchange(pid_, -1);
  // What closed its socket by dying may not be dead for everybody yet.
  using namespace std::chrono_literals;
  bool isEnded = hasEnded(pid, WNOHANG);
  for (auto waited = 0ms; !isEnded && waited < 200ms && !channel_.isOpenAtOtherEnd();
       waited += 5ms) {
    std::this_thread::sleep_for(5ms);
    isEnded = hasEnded(pid, WNOHANG);
  }
  kill(-pid, SIGKILL);  // With all that it started,
  kill(pid, SIGKILL);   // and itself where it left its group.
  int status = 0;
  pid_t reaped = -1;
  do {
    reaped = waitpid(pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  const bool isOurs = !isEnded && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (reaped != pid || isOurs) return {};
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.exitCode = WEXITSTATUS(status)};
}

}  // namespace tessera::worker
