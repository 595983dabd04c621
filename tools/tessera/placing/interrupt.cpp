#include "tools/tessera/placing/interrupt.h"

#include <csignal>

namespace tessera::cli {

static volatile std::sig_atomic_t isInterrupted = 0;

static void note(int signal) {
  isInterrupted = 1;
  std::signal(signal, SIG_DFL);
}

Interrupt::Interrupt() { std::signal(SIGINT, note); }
Interrupt::~Interrupt() { std::signal(SIGINT, SIG_DFL); }
bool Interrupt::isAsked() { return isInterrupted != 0; }

}  // namespace tessera::cli
