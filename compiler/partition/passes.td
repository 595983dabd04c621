// The passes of phase partition: from a simplified graph to one that names owners, layouts and regions.
#ifndef TESSERA_COMPILER_PARTITION_PASSES_TD
#define TESSERA_COMPILER_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

class PartitionPass<string flag> : Pass<"tessera-partition-" # flag, "::mlir::ModuleOp">;

def ExpandCompositesPass : PartitionPass<"expand-composites"> {
  let summary = "replace composites that no target takes by the operators of their bodies";
  let description = [{
    Works on every block of the host program, bodies of control flow included unless a target takes the whole. Composites
    inside composites are asked about when they appear.
  }];
}

def AnnotateTargetsPass : PartitionPass<"annotate-targets"> {
  let summary = "give every operator an owner, most preferred target first";
  let description = [{
    Each owner is asked about all operators of a block at once; the first that supports an operator gets it
    (`tessera.target`). What only renames memory goes where its operand was computed, if that owner wants views. Views
    and control flow that nobody takes stay without an owner: they belong to the host program, and the bodies of such
    control flow are annotated too. Fails, with each owner's reason, when nobody takes another operator.
  }];
}

def MergeRegionsPass : PartitionPass<"merge-regions"> {
  let summary = "number the regions of owners that merge whatever they own";
  let description = [{
    Operators of one owner with an edge between them become one region (`tessera.region`) unless a cycle of regions would
    arise or the region would break the owner's rules. The outcome does not depend on the order of independent
    operators. Views at a region's border go back to the host program.
  }];
}

def OutlineRegionsPass : PartitionPass<"outline-regions"> {
  let summary = "make the numbered regions functions of their owner";
  let description = [{
    The operators of each block are sorted so that those of a region are neighbours, then each region becomes a function
    that is called in its place. Fails when a region's number makes a cycle.
  }];
}

def AssignLayoutsPass : PartitionPass<"assign-layouts"> {
  let summary = "give every value a layout and memory space that its owner takes";
  let description = [{
    In execution order each owner answers, for an operator or a region that was outlined for it, with its layouts, best
    first. The first counts whose conversions (`tsr.relayout`, `tsr.copy`) somebody takes: the consumer, else the
    producer, else the host target, each asked as about any operator. Conversions of constants are left to folding. An
    owner none of whose layouts can be reached is withdrawn (`tessera.refusals`). Host views, control flow and what the
    model returns are row-major in host memory.
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
