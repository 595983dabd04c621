// When passes run: the phases of tessera/phase.h, and where in one a target's own stand.
#pragma once

#include <cstdint>

#include "tessera/phase.h"

namespace tessera::target {

using tessera::kPhaseNames;
using tessera::parsePhase;
using tessera::Phase;
using tessera::phaseName;

/// When a target's passes run relative to the common ones of a phase.
enum class HookPoint : uint8_t { kBefore, kAfter };

}  // namespace tessera::target
