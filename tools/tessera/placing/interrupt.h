// Ctrl-C as a wish: what is done so far is kept.
#pragma once

namespace tessera::cli {

/// While one lives, the first Ctrl-C is noted; the next ends the program.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool isAsked();
};

}  // namespace tessera::cli
