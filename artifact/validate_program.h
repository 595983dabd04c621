// The program's part of validate(). Internal to artifact/.
#pragma once

#include "artifact/bundle.h"
#include "tessera/status.h"

namespace tessera::artifact {

/// Checks the instructions of a bundle whose buffers, ports and regions are already valid: every
/// operand exists and fits, only writable buffers are written, and run-time-sized buffers have a
/// producer before they are read.
Status validateProgram(const Bundle& bundle);

}  // namespace tessera::artifact
