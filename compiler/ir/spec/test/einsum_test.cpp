#include "compiler/ir/spec/einsum.h"

#include <gtest/gtest.h>

namespace tessera::ir::spec {
namespace {

using Labels = EinsumSpec::Labels;

Labels letters(llvm::StringRef text) { return {text.begin(), text.end()}; }

EinsumSpec parsed(llvm::StringRef equation, llvm::ArrayRef<int64_t> ranks) {
  Result<EinsumSpec> spec = EinsumSpec::parse(equation, ranks);
  EXPECT_TRUE(spec) << spec.error().message;
  return spec ? *spec : EinsumSpec{};
}

std::string refusal(llvm::StringRef equation, llvm::ArrayRef<int64_t> ranks) {
  const Result<EinsumSpec> spec = EinsumSpec::parse(equation, ranks);
  return spec ? "" : spec.error().message;
}

TEST(Einsum, NamesTheDimensions) {
  const EinsumSpec spec = parsed("i j, jk -> k i", {2, 2});
  ASSERT_EQ(spec.inputs.size(), 2u);
  EXPECT_EQ(spec.inputs[0], letters("ij"));
  EXPECT_EQ(spec.inputs[1], letters("jk"));
  EXPECT_EQ(spec.output, letters("ki"));
}

TEST(Einsum, WithoutArrowLettersThatOccurOnceAreLeft) {
  EXPECT_EQ(parsed("bj,ja", {2, 2}).output, letters("ab"));
  EXPECT_EQ(parsed("ii", {2}).output, Labels());
  EXPECT_EQ(parsed("ii->i", {2}).output, letters("i"));
  EXPECT_EQ(parsed("Ba", {2}).output, letters("Ba"));
}

TEST(Einsum, EllipsesAlignAtTheirEnd) {
  const EinsumSpec spec = parsed("...ij,...jk", {4, 3});
  EXPECT_EQ(spec.inputs[0], (Labels{-2, -1, 'i', 'j'}));
  EXPECT_EQ(spec.inputs[1], (Labels{-1, 'j', 'k'}));
  EXPECT_EQ(spec.output, (Labels{-2, -1, 'i', 'k'}));
  EXPECT_FALSE(EinsumSpec::isLetter(spec.output[0]));
  EXPECT_TRUE(EinsumSpec::isLetter(spec.output[2]));
  // An ellipsis that the result leaves out is summed over, one for no dimension is nothing.
  EXPECT_EQ(parsed("...i->i", {3}).output, letters("i"));
  EXPECT_EQ(parsed("i...->...i", {1}).output, letters("i"));
}

TEST(Einsum, SaysWhatDoesNotFit) {
  EXPECT_EQ(refusal("ij,jk->ik", {2}), "has 2 terms, expected 1");
  EXPECT_NE(refusal("ij", {3}).find("term 'ij' for input 0 of rank 3"), std::string::npos);
  EXPECT_NE(refusal("...ij", {1}).find("of rank 1"), std::string::npos);
  EXPECT_NE(refusal("i.j->ij", {2}).find("has a term that is no list"), std::string::npos);
  EXPECT_NE(refusal("......", {2}).find("has a term that is no list"), std::string::npos);
  EXPECT_NE(refusal("ij->i1", {2}).find("has a result that is no list"), std::string::npos);
  EXPECT_NE(refusal("ij->ik", {2}).find("has result 'ik'"), std::string::npos);
  EXPECT_NE(refusal("ij->ii", {2}).find("has result 'ii'"), std::string::npos);
}

}  // namespace
}  // namespace tessera::ir::spec
