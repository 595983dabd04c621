// The host program: what `func @main` holds from phase link on. A straight line over buffers.
#ifndef TESSERA_COMPILER_IR_HOST_OPS_TD
#define TESSERA_COMPILER_IR_HOST_OPS_TD

include "compiler/ir/tsr_base.td"
include "mlir/IR/SymbolInterfaces.td"

class Tsr_HostOp<string mnemonic, list<Trait> traits = []> : Op<Tsr_Dialect, mnemonic, traits>;

def Tsr_AllocOp : Tsr_HostOp<"alloc"> {
  let summary = "memory for one value";
  let description = [{
    `offset` is the place in the arena of its memory space, in bytes, once planned; a value of dynamic size has none and is
    allocated at run time. `size` is the physical size in bytes, -1 when it is known at run time only. `output`, where
    present, says that the value is this result of the model and lives in the caller's memory.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, I64Attr:$size, OptionalAttr<I64Attr>:$output);
  let results = (outs Tsr_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}
def Tsr_GlobalOp : Tsr_HostOp<"global", [Pure]> {
  let summary = "a constant's memory";
  let arguments = (ins AnyAttr:$value);
  let results = (outs Tsr_BufferType:$buffer);
  let assemblyFormat = "$value attr-dict `->` type($buffer)";
}
def Tsr_ViewOp : Tsr_HostOp<"view", [Pure]> {
  let summary = "the same memory, or a part of it, as another tensor";
  let description = "`offset` is in bytes. (C1) The part lies inside the viewed memory where sizes are static.";
  let hasVerifier = 1;
  let arguments = (ins Tsr_BufferType:$source, Tsr_IntDefault<"0">:$offset);
  let results = (outs Tsr_BufferType:$view);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($view)";
}
def Tsr_CallOp : Tsr_HostOp<"call", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a region: reads ins, writes outs";
  let description = [{
    `workspace` is scratch memory of the run; nothing is kept in it. `signals` is the number of an event: the region may
    still run while the next instructions do, and what touches its buffers comes `after` that event or a later one. Each
    event is signalled by one instruction.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Tsr_BufferType>:$ins, Variadic<Tsr_BufferType>:$outs,
                   Optional<Tsr_BufferType>:$workspace, OptionalAttr<DenseI32ArrayAttr>:$waits, OptionalAttr<I32Attr>:$signal);
  let assemblyFormat = "$callee `ins` `(` ($ins^ `:` type($ins))? `)` `outs` `(` ($outs^ `:` type($outs))? `)` "
    "(`workspace` `(` $workspace^ `:` type($workspace) `)`)? (`after` $waits^)? (`signals` $signal^)? attr-dict";
}
def Tsr_CopyBufferOp : Tsr_HostOp<"copy_buffer"> {
  let summary = "copies a value between buffers, also between memory spaces";
  let description = "Events as for a call.";
  let arguments = (ins Tsr_BufferType:$source, Tsr_BufferType:$target, OptionalAttr<DenseI32ArrayAttr>:$waits,
                   OptionalAttr<I32Attr>:$signal);
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$target), [{
    build($_builder, $_state, source, target, ::mlir::DenseI32ArrayAttr(), ::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = "$source `to` $target (`after` $waits^)? (`signals` $signal^)? attr-dict `:` type($source) `,` type($target)";
}

#endif
