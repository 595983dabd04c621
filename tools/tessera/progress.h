// Progress of long work on a terminal.
#pragma once

#include <memory>

#include "tessera/compile.h"

namespace tessera::cli {

/// A bar on stderr while it lives; nothing when stderr is no terminal.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Valid as long as the bar.
  ProgressCallback callback() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::cli
