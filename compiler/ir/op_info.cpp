#include "compiler/ir/op_info.h"

#include <algorithm>
#include <unordered_map>

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tessera::ir {

std::span<const OpInfo> opTable() {
  static const std::vector<OpInfo>* table = new std::vector<OpInfo>{
#include "compiler/ir/op_table.inc"
  };
  return *table;
}

const OpInfo* findByMnemonic(std::string_view mnemonic) {
  const auto table = opTable();
  const auto it = std::ranges::lower_bound(table, mnemonic, {}, &OpInfo::mnemonic);
  return it != table.end() && it->mnemonic == mnemonic ? &*it : nullptr;
}

const OpInfo* findByOnnxName(std::string_view onnxName) {
  static const auto* byName = [] {
    auto* map = new std::unordered_map<std::string_view, const OpInfo*>;
    for (const OpInfo& info : opTable()) map->emplace(info.onnxName, &info);
    return map;
  }();
  const auto it = byName->find(onnxName);
  return it == byName->end() ? nullptr : it->second;
}

}  // namespace tessera::ir
