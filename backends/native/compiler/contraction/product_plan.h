// How matrix products are computed. Not for other folders, which ask planContraction.
#pragma once

#include "backends/native/compiler/contraction/plan.h"

namespace tessera::backend_native {

/// How operators on operands and a result of these types are computed, or why not.
OrDeclined<ContractionPlan> planMatmul(const ContractionTypes& types, const CodeTarget& cpu);
OrDeclined<ContractionPlan> planGemm(ir::GemmOp op, const ContractionTypes& types,
                                     const CodeTarget& cpu);

}  // namespace tessera::backend_native
