#include "compiler/support/check.h"

#include <cstdio>
#include <cstdlib>

namespace tessera::support {

void checkFailed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr,
               "tessera: internal error: %s (%s) at %s:%d; please report it with the command that "
               "led here\n",
               message, condition, file, line);
  std::abort();
}

}  // namespace tessera::support
