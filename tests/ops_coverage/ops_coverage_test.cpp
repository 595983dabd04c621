// The operators of the dialect and their reference implementations are the same list.
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "compiler/ir/op_info.h"
#include "reference/op_call.h"

namespace tessera {
namespace {

TEST(OpsCoverage, EveryOperatorHasAReferenceImplementation) {
  for (const ir::OpInfo& info : ir::opTable()) {
    EXPECT_TRUE(reference::isImplemented(info.mnemonic)) << info.mnemonic;
  }
}

TEST(OpsCoverage, EveryReferenceImplementationIsAnOperator) {
  for (const std::string_view op : reference::implementedOps()) {
    EXPECT_NE(ir::findByMnemonic(op), nullptr) << op;
  }
}

TEST(OpsCoverage, NamesAreUnique) {
  std::set<std::string_view> mnemonics, onnxNames;
  for (const ir::OpInfo& info : ir::opTable()) {
    EXPECT_TRUE(mnemonics.insert(info.mnemonic).second) << info.mnemonic;
    EXPECT_TRUE(onnxNames.insert(info.onnxName).second) << info.onnxName;
  }
}

}  // namespace
}  // namespace tessera
