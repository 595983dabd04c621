// Passes that stand between the phases and the targets: what is imported, what targets add.
#ifndef TESSERA_COMPILER_DRIVER_PASSES_TD
#define TESSERA_COMPILER_DRIVER_PASSES_TD

include "mlir/Pass/PassBase.td"

def ImportOnnxPass : Pass<"tessera-import-onnx", "::mlir::ModuleOp"> {
  let summary = "fill an empty module with the model of an ONNX file";
  let options = [Option<"file", "file", "std::string", "", "path of the .onnx file">];
}

def RunHooksPass : Pass<"tessera-run-hooks", "::mlir::ModuleOp"> {
  let summary = "run what the module's targets add at one point of the pipeline";
  let description = [{
    For each target of the module, in their order, the passes that its backend adds before or after the common ones of a phase.
    Until phase `partition` is over they run on the whole module, which must afterwards hold operations of the dialects tsr and
    func only: other targets know no others. From then on they run on a module of its own that holds the functions and modules of
    the target, and no others; symbols that clash with others' are renamed when they come back. While a target's passes run, the
    module that they run on has the attribute `tessera.hook`, the target's text.

    With `last`, targets behind that one wait: `tessera.hooked` of the module lists those that had their turn after the common
    passes of the phase, which are left out when the phase is run again, and so is all that comes before.
  }];
  let options = [Option<"phase", "phase", "std::string", "", "name of the phase">,
                 Option<"point", "point", "std::string", "\"after\"", "before or after its common passes">,
                 Option<"last", "last", "std::string", "", "target behind which to stop; all have their turn when empty">];
}

def CleanRegionsPass : Pass<"tessera-clean-regions", "::mlir::ModuleOp"> {
  let summary = "run the common passes of regions: canonicalize and cse";
  let description = "On each function of a target, but for those that the target leaves out (`Backend::skippedPasses`).";
}

def ChooseSchedulesPass : Pass<"tessera-choose-schedules", "::mlir::ModuleOp"> {
  let summary = "note the fastest known way to compile at regions that can be compiled in several";
  let description = [{
    `tessera.schedule` of a region's function is what `tessera tune` learnt about its class on this machine (`Backend::schedules`).
    Regions that have one keep it; where nothing is known, or the compiler has no cost store, the target decides.
  }];
}

#endif
