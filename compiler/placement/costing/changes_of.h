// What changes of targets cost, as a search wants to know it.
#pragma once

#include "compiler/placement/candidates/problem_of.h"
#include "compiler/placement/costing/calibration.h"

namespace tessera::placement {

/// Each target joins the first group none of whose targets it minds, or that mind it, by more than
/// a few microseconds. Between groups counts what the two cost that mind each other most.
Changes changesOf(const Calibration& calibration, const partition::OwnerIndex& owners);

}  // namespace tessera::placement
