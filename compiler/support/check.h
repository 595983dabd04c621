// Internal errors: conditions that can only be broken by a bug of ours.
#pragma once

namespace tessera::support {

/// Prints the failed condition, its place and a request for a report to stderr, then aborts.
[[noreturn]] void checkFailed(const char* condition, const char* message, const char* file,
                              int line);

}  // namespace tessera::support

/// Stops when `cond` does not hold; on in release builds. Input from outside must never reach it.
#define TESSERA_CHECK(cond, message) \
  ((cond) ? static_cast<void>(0)     \
          : ::tessera::support::checkFailed(#cond, message, __FILE__, __LINE__))

#define TESSERA_UNREACHABLE(message) \
  ::tessera::support::checkFailed("unreachable", message, __FILE__, __LINE__)
