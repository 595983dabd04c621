#include <set>

#include "compiler/ir/op_info.h"
#include "frontends/onnx/import/import.h"
#include "frontends/onnx/import/to_mlir/importer.h"
#include "frontends/onnx/import/upgrade/upgrade.h"

namespace tessera::onnx {

std::vector<std::string> importedOperators() {
  std::set<std::string> names(std::begin(kControlFlowOperators), std::end(kControlFlowOperators));
  names.emplace("Constant");  // A value, no operator of the dialect's table.
  for (const ir::OpInfo& op : ir::opTable()) names.emplace(op.onnxName);
  for (const auto& [name, replacement] : replacedOperators()) {
    if (ir::findByOnnxName(replacement)) names.emplace(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace tessera::onnx
