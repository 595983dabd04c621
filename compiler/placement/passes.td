// The pass of phase partition that applies a plan.
#ifndef TESSERA_COMPILER_PLACEMENT_PASSES_TD
#define TESSERA_COMPILER_PLACEMENT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApplyPlanPass : Pass<"tessera-apply-plan", "::mlir::ModuleOp"> {
  let summary = "place the tiles of the module's plan, each by itself";
  let description = [{
    Each tile of `tessera.plan` (`compiler/placement/plan_attribute.h`) becomes a module of its own, nested in this one, in
    which the passes of greedy placement place it over its target and the host target: the very module that was measured.
    What comes of it stands in the entry function in place of the tile's operators; values that come in another layout than
    a tile reads are converted by who takes that. Fails when the tiles do not cover every operator once, or when two of them
    wait for each other.
  }];
}

#endif
