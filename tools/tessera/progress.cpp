// No progress-bar library is packaged for C++ in Debian 12; one line that rewrites itself is all
// that is needed.
#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tessera::cli {

struct ProgressBar::State {
  size_t lastPercent = 101;
  std::string lastWhat;
};

ProgressBar::ProgressBar() {
  if (::isatty(STDERR_FILENO) != 0) state_ = std::make_unique<State>();
}

ProgressBar::~ProgressBar() {
  if (state_) std::fputs("\r\033[K", stderr);
}

ProgressCallback ProgressBar::callback() const {
  if (!state_) return {};
  return [state = state_.get()](const std::string& what, size_t done, size_t total) {
    // What a plugin counts may make no sense.
    const double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
    const auto percent = static_cast<size_t>(100 * std::min(share, 1.0));
    if (percent == state->lastPercent && what == state->lastWhat) return;
    state->lastPercent = percent;
    state->lastWhat = what;
    constexpr size_t kWidth = 30;
    const std::string bar(kWidth * percent / 100, '=');
    std::fprintf(stderr, "\r[%-*s] %3zu %% %s\033[K", static_cast<int>(kWidth), bar.c_str(),
                 percent, what.c_str());
    std::fflush(stderr);
  };
}

}  // namespace tessera::cli
