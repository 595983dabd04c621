// The passes of phases emit and link: regions become code, the entry function becomes the host program.
#ifndef TESSERA_COMPILER_CODEGEN_PASSES_TD
#define TESSERA_COMPILER_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitRegionsPass : Pass<"tessera-emit-regions", "::mlir::ModuleOp"> {
  let summary = "ask each owner for the code of its regions and keep it in the module";
  let description = [{
    Each owner is asked once for all its regions that have no code, but for those that are one `tsr.copy`: the host program
    has an instruction for them. The code becomes `tsr.code`, with the ABI version that it
    needs in `tessera.least_abi`; a region's function says in `tessera.implementations` which code runs it. A region that its owner refuses, or that an owner that fails had, gets the
    attribute `tessera.refused` with the reason instead. Modules that owners made on the way, marked `tessera.target`, go.
  }];
}

def AddFallbacksPass : Pass<"tessera-add-fallbacks", "::mlir::ModuleOp"> {
  let summary = "give every region of another target than the host target a copy that is the host target's";
  let description = [{
    In modules with the attribute `tessera.with_fallback`. The copy is called by nobody; `tessera.fallback_of` names its region, which
    it becomes another implementation of when it has code. Regions whose values lie in a device's memory get none.
  }];
}

def AttachFallbacksPass : Pass<"tessera-emit-attach-fallbacks", "::mlir::ModuleOp"> {
  let summary = "make copies of regions implementations of them, behind their owners'";
  let description = [{
    What `tessera-add-fallbacks` made. A copy that the host target has no code for goes with a remark.
  }];
}

def UpdateConstantsPass : Pass<"tessera-emit-update-constants", "::mlir::ModuleOp"> {
  let summary = "give regions' constants the form that their owners' code reads";
  let description = [{
    `Backend::updateConstant`, for each argument of a region that is a constant in every call. The argument gets the new
    type; in the body, which stays for people and counts, a cast stands before what read the old one. Regions that are run in several
    ways keep their constants as they are.
  }];
}

def BuildHostProgramPass : Pass<"tessera-link-build-host-program", "::mlir::ModuleOp"> {
  let summary = "turn the entry function into calls on buffers";
  let description = [{
    Turns calls on tensors into the host program: `tsr.alloc`, `tsr.global`, `tsr.view` and `tsr.call` on buffers, in
    execution order. Arguments and results become buffers. What has no owner is realised without running anything
    (host_views.h), except for `tsr.copy_buffer` of parts of concatenations that no region computes and between memory
    spaces: a region that is one `tsr.copy` is no call. A constant that is copied becomes one of the other space, which is
    filled when the artifact is loaded. A call of a region whose code asks for scratch memory of known size has a buffer for it, as large as the
    greediest implementation asks.
  }];
}

def PlanMemoryPass : Pass<"tessera-link-plan-memory", "::mlir::ModuleOp"> {
  let summary = "place the buffers of the host program in the arena of their memory space";
  let description = [{
    Gives each static `tsr.alloc` of the host program, scratch memory of calls included, its offset in the arena of its
    memory space. A result takes the memory of an operand that dies there when the region's owner allows it and no other
    implementation of the region could follow. Sets on the entry function `tessera.arena_bytes` and
    `tessera.lower_bound_bytes` (most bytes live at once: no plan for these buffers can be smaller). Buffers sized at run
    time are in neither. The same figures of other spaces than the host's stand in the dictionary `tessera.memory_spaces`,
    by name, with those of the module's targets that have the space: the runtime asks them for it, whether they run something or not.
  }];
}

def AssignEventsPass : Pass<"tessera-link-assign-events", "::mlir::ModuleOp"> {
  let summary = "say which instructions of the host program run beside the host, and what each waits for";
  let description = [{
    Calls and copies that touch another memory space than the host's signal an event each, and every instruction waits for
    those of earlier ones that it must not overtake: one of the two writes bytes that the other touches, bytes as the memory
    plan has them. Of events that imply each other the last is waited for. Instructions on buffers sized at run time
    signal none.
  }];
}

#endif
