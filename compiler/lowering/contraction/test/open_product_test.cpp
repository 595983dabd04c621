// Products whose sizes are known at run time only against plain loops: one kernel, many sizes, for
// both vector widths.
#include "compiler/lowering/contraction/open/open_product.h"

#include "compiler/lowering/contraction/test/open_fixture.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::lowering {
namespace {

struct Sizes {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};

struct Transposed {
  bool a = false, b = false;
};

class OpenProductTest : public OpenSizes {
 protected:
  // Of each of these sizes; B has one entry for all where it is `isShared`.
  void check(Transposed transposed, const std::vector<Sizes>& sizes, bool isShared = false);
};

// The matrices of a buffer [batch, rows, columns], or [batch, columns, rows] transposed.
StridedMatrices matricesOf(IndexBuilder& b, mlir::Value memory, bool isTransposed, bool isShared) {
  const auto dim = [&](int64_t i) { return b.createOrFold<mlir::memref::DimOp>(memory, i); };
  const mlir::Value inner = dim(2), size = b.mul(dim(1), dim(2));
  return {.memory = flattenMemRef(b, b.getLoc(), memory),
          .offset = b.index(0),
          .batchStrides = {isShared ? b.index(0) : size},
          .rowStride = isTransposed ? b.index(1) : inner,
          .columnStride = isTransposed ? inner : b.index(1)};
}

std::vector<double> referenceProduct(const Sizes& s, Transposed transposed,
                                     const std::vector<float>& a, const std::vector<float>& b,
                                     bool isShared) {
  std::vector<double> c(s.batch * s.m * s.n);
  for (int64_t i = 0; i < std::ssize(c); ++i) {
    const int64_t column = i % s.n, row = i / s.n % s.m, entry = i / s.n / s.m;
    for (int64_t k = 0; k < s.k; ++k) {
      const int64_t ofA = transposed.a ? k * s.m + row : row * s.k + k,
                    ofB = transposed.b ? column * s.k + k : k * s.n + column;
      c[i] += static_cast<double>(a[entry * s.m * s.k + ofA]) *
              b[(isShared ? 0 : entry) * s.k * s.n + ofB];
    }
  }
  return c;
}

void OpenProductTest::check(Transposed transposed, const std::vector<Sizes>& all, bool isShared) {
  const auto open = f32(llvm::SmallVector<int64_t>(3, mlir::ShapedType::kDynamic));
  const auto module =
      buildOpen({open, open}, open,
                [&](mlir::OpBuilder& builder, mlir::ValueRange operands, mlir::Value output,
                    const Epilogue& epilogue) {
                  IndexBuilder b(builder.getUnknownLoc(), builder);
                  const auto dim = [&](mlir::Value memory, int64_t i) {
                    return b.createOrFold<mlir::memref::DimOp>(memory, i);
                  };
                  const OpenProduct product{.a = matricesOf(b, operands[0], transposed.a, false),
                                            .b = matricesOf(b, operands[1], transposed.b, isShared),
                                            .batch = {dim(output, 0)},
                                            .m = dim(output, 1),
                                            .n = dim(output, 2),
                                            .k = dim(operands[0], transposed.a ? 1 : 2)};
                  emitOpenProduct(b, b.getLoc(), product, output, target_, epilogue);
                });
  const auto kernels = compile(*module);
  ASSERT_TRUE(kernels);
  for (const Sizes& s : all) {
    SCOPED_TRACE(testing::Message() << s.batch << "x" << s.m << "x" << s.n << "x" << s.k);
    const int64_t batchOfB = isShared ? 1 : s.batch;
    OpenOperand a{.values = randomValues(s.batch * s.m * s.k, 1), .sizes = {s.batch, s.m, s.k}},
        b{.values = randomValues(batchOfB * s.k * s.n, 2), .sizes = {batchOfB, s.k, s.n}};
    if (transposed.a) std::swap(a.sizes[1], a.sizes[2]);
    if (transposed.b) std::swap(b.sizes[1], b.sizes[2]);
    const OpenResult result{.wanted = referenceProduct(s, transposed, a.values, b.values, isShared),
                            .sizes = {s.batch, s.m, s.n},
                            .tolerance = 2e-6 * std::sqrt(s.k) + 1e-6};
    expectResult(*kernels, {a, b}, result);
  }
}

/// Rows and columns that end anywhere in a tile, sums of several parts, and nothing at all.
std::vector<Sizes> manySizes() {
  return {{.m = 1, .n = 1, .k = 1},
          {.m = 1, .n = 100, .k = 33},
          {.m = 3, .n = 24, .k = 5},
          {.m = 7, .n = 48, .k = 16},
          {.m = 16, .n = 49, .k = 9},
          {.m = 33, .n = 75, .k = 64},
          {.m = 17, .n = 8, .k = 257},
          {.m = 9, .n = 150, .k = 600},
          {.m = 530, .n = 31, .k = 20},
          {.batch = 3, .m = 5, .n = 17, .k = 12},
          {.m = 4, .n = 20, .k = 0},
          {.m = 0, .n = 20, .k = 3},
          {.m = 4, .n = 0, .k = 3},
          {.batch = 0, .m = 4, .n = 5, .k = 3},
          {.batch = 4, .m = 40, .n = 30, .k = 30}};
}

TEST_P(OpenProductTest, RowMajor) { check({}, manySizes()); }

TEST_P(OpenProductTest, TransposedFirst) { check({.a = true}, manySizes()); }

TEST_P(OpenProductTest, TransposedSecond) { check({.b = true}, manySizes()); }

TEST_P(OpenProductTest, TransposedBoth) { check({.a = true, .b = true}, manySizes()); }

TEST_P(OpenProductTest, OneSecondForAll) {
  check({}, {{.batch = 3, .m = 5, .n = 30, .k = 8}}, /*isShared=*/true);
}

TESSERA_FOR_BOTH_WIDTHS(OpenProductTest);

}  // namespace
}  // namespace tessera::lowering
