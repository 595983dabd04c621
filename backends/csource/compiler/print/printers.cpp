#include "backends/csource/compiler/print/printers.h"

#include "compiler/ir/tsr.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::backend_csource {

using namespace mlir;

static constexpr NestRow kNestRows[] = {
#define TESSERA_NEST(Op, printer, refusal) \
  {.name = ir::Op::getOperationName(), .print = (printer), .refuse = (refusal)},
#include "backends/csource/compiler/print/nests.def"
#undef TESSERA_NEST
};

ArrayRef<NestRow> nestRows() { return kNestRows; }

const NestRow* findNestRow(Operation* op) {
  const StringRef name = op->getName().getStringRef();
  const NestRow* row = llvm::find_if(kNestRows, [&](const NestRow& r) { return r.name == name; });
  return row == std::end(kNestRows) ? nullptr : row;
}

std::optional<std::string> refuseNothing(Operation* /*op*/) { return std::nullopt; }

}  // namespace tessera::backend_csource
