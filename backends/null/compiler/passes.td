// What this backend adds to the pipeline.
include "mlir/Pass/PassBase.td"

def NumberStepsPass : Pass<"tessera-null-number-steps", "::mlir::ModuleOp"> {
  let summary = "note on each region how many steps its program has (`null.steps`)";
}
