// The passes of phase partition: from a simplified graph to one that names owners, layouts and regions.
#ifndef TESSERA_COMPILER_PARTITION_PASSES_TD
#define TESSERA_COMPILER_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

class PartitionPass<string flag> : Pass<"tessera-" # flag, "::mlir::ModuleOp">;

def ApplyPinsPass : PartitionPass<"apply-pins"> {
  let summary = "take operators from owners as the module's rules say";
  let description = [{
    The first rule of `tessera.pins` that fits an operator counts (`compiler/partition/pins.h`): `must` withdraws all other
    owners from it and `forbid` that one, with the rule as the reason; `prefer` notes the target (`tessera.prefer`), which
    is asked first. Views and constants follow what they stand beside.
  }];
}

def ConsumeMarksPass : PartitionPass<"consume-marks"> {
  let summary = "replace tsr.compiler_begin and tsr.compiler_end by owners and regions";
  let description = [{
    What lies between the marks of a target belongs to it (`tessera.target`), and what hangs together there is one region
    (`tessera.region`). Fails where a value enters or leaves a marked part without a mark, marks of two targets meet, the
    target is none of the module's. Whether it takes what is marked is asked when owners are (`tessera-annotate-target`).
  }];
}

def MergeCompositePass : PartitionPass<"merge-composite"> {
  let summary = "make composites of what the targets' pattern tables match";
  let description = [{
    Targets in their order, entries of each table in theirs, from the end of the graph to its beginning; what a match
    covers becomes a composite "<kind>.<entry>" of that target unless a value inside is used outside. Operators that a more
    preferred target takes by themselves stay its own.
  }];
}

def ExpandCompositesPass : PartitionPass<"expand-composites"> {
  let summary = "replace composites that no target takes by the operators of their bodies";
  let description = [{
    Works on every block of the host program, bodies of control flow included unless a target takes the whole. Composites
    inside composites are asked about when they appear. So is a composite expanded all of whose operators a target takes
    that is more preferred than any that takes the whole.
  }];
}

def AnnotateTargetPass : PartitionPass<"annotate-target"> {
  let summary = "give every operator an owner, most preferred target first";
  let description = [{
    Each owner is asked about all operators of a block at once; the first that supports an operator gets it
    (`tessera.target`), and where there are several, all that do are noted (`tessera.willing`), for operators inside of
    composites too. What only renames memory goes where its operand was computed, if that owner wants views. Views
    and control flow that nobody takes stay without an owner: they belong to the host program, and the bodies of such
    control flow are annotated too. Fails, with each owner's reason, when nobody takes another operator.
  }];
}

def MergeCompilerRegionsPass : PartitionPass<"merge-compiler-regions"> {
  let summary = "number the regions of owners that merge whatever they own";
  let description = [{
    Operators of one owner with an edge between them become one region (`tessera.region`) unless a cycle of regions would
    arise or the region would break the owner's rules; regions that marks made grow likewise. The outcome does not depend on the order of independent
    operators. Views at a region's border go back to the host program.
  }];
}

def PartitionGraphPass : PartitionPass<"partition-graph"> {
  let summary = "make the numbered regions functions of their owner";
  let description = [{
    The operators of each block are sorted so that those of a region are neighbours, then each region becomes a function
    that is called in its place, named `<kind>_<number>`. Fails when a region's number makes a cycle.
  }];
  let options = [
    Option<"bindConstants", "bind-constants", "std::string", "\"rules\"",
           "constants that go into bodies instead of arguments: rules (of the owner), all or none">,
  ];
}

def OptimizeRegionsPass : PartitionPass<"optimize-regions"> {
  let summary = "run owners' own passes on each new region";
  let description = [{
    `Backend::addRegionPasses`, on regions that have no class yet. Arguments that the body reads no more are dropped.
  }];
}

def PruneRegionsPass : PartitionPass<"prune-regions"> {
  let summary = "give up regions that are not worth their borders";
  let description = [{
    By the owner's rules (`RegionRules`: anchors, minOperations, maxRegions). Their operators are placed again without that
    owner (`tessera.refusals`). The host target's regions stay.
  }];
}

def InlineRegionsPass : PartitionPass<"inline-regions"> {
  let summary = "undo partitioning: put regions back where they are called";
  let description = [{
    Composites that their owner's patterns made are dissolved. Functions that are called no more are erased.
  }];
  let options = [
    ListOption<"targets", "targets", "std::string", "targets or kinds whose regions to put back; all when empty">,
  ];
}

def AssignLayoutsPass : PartitionPass<"assign-layouts"> {
  let summary = "give every value a layout and memory space that its owner takes";
  let description = [{
    In execution order each owner answers, for an operator or a region that was outlined for it, with its layouts, best
    first. The first counts whose conversions (`tsr.relayout`, `tsr.copy`) somebody takes: the consumer, else the
    producer, else the host target, else any, each asked as about any operator. Conversions of constants are left to folding. An
    owner none of whose layouts can be reached is withdrawn (`tessera.refusals`). Host views lie where what they view
    lies, what the model returns where the entry function says; control flow is row-major in host memory.
  }];
}

def FuseRegionsPass : PartitionPass<"fuse-regions"> {
  let summary = "make fused operators functions of their owner";
  let description = [{
    Fuses operators of one owner along their post-dominators (TVM's FuseOps) and makes each group a function with an
    owner, called in its place. Views that fuse with nothing lose their owner instead: the host program realises them,
    as all parts lie in one stretch of memory, and those of a concatenation can be computed right there. So do views at
    the border of a group that are no concatenations.
  }];
}

def CheckRegionsPass : PartitionPass<"check-regions"> {
  let summary = "ask owners about their finished regions and honour exclusions";
  let description = [{
    Every region that has none yet gets its class (`tessera.region_class`): equal classes are equal but for names,
    locations and owners. Regions that `tessera.exclusions` of the module names, and those that their owner declines, are
    listed in the module's `tessera.refusals`, whose operators are then placed again.
  }];
}

def MergeEqualRegionsPass : PartitionPass<"merge-equal-regions"> {
  let summary = "keep one of all regions that differ only in name and location";
}

def IsolateCallPass : PartitionPass<"isolate-call"> {
  let summary = "keep one call of a region and what it needs";
  let description = [{
    The entry function becomes that call: its inputs are what the call reads, but for constants, its results what it gives,
    both row-major in host memory; who takes the conversions converts.
  }];
  let options = [
    Option<"call", "call", "size_t", "0", "number of the call in the module, in the order of the text">,
  ];
}

def PlainBordersPass : PartitionPass<"plain-borders"> {
  let summary = "give the entry function's arguments and results row-major order in host memory";
  let description = [{
    What reads or gives them in another layout stays as it is; regions of whoever takes the conversions stand between, and
    are named `border_<number>`. For running a piece of a model by itself. Fails where nobody converts.
  }];
}

def ExposeRegionsPass : PartitionPass<"expose-regions"> {
  let summary = "return what each region computes from the entry function";
  let description = [{
    Every result of every region's call becomes a result of the entry function, behind its own results and in the order
    of the calls, row-major in host memory: regions of whoever takes the conversion bring those there that are not;
    values that nobody converts are left out. Each added result says which region gives it (`tessera.exposed`). No part
    of a compilation: for comparing targets value by value, after `post_partition`.
  }];
}

#endif
