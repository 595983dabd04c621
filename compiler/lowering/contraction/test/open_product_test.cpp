// Products whose sizes are known at run time only against plain loops: one kernel, many sizes, for
// both vector widths.
#include "compiler/lowering/contraction/open/open_product.h"

#include "compiler/lowering/contraction/test/contraction_fixture.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::lowering {
namespace {

struct Sizes {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};

struct Transposed {
  bool a = false, b = false;
};

class OpenProductTest : public Contraction {
 protected:
  // relu(A * B + residual) of each of these sizes; B has one entry for all where it is `isShared`.
  void check(Transposed transposed, const std::vector<Sizes>& sizes, bool isShared = false);
  static void checkSize(const LoadedKernels& kernels, Transposed transposed, const Sizes& sizes,
                        bool isShared);
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

void OpenProductTest::checkSize(const LoadedKernels& kernels, Transposed transposed, const Sizes& s,
                                bool isShared) {
  const auto a = randomValues(s.batch * s.m * s.k, 1),
             b = randomValues((isShared ? 1 : s.batch) * s.k * s.n, 2),
             residual = randomValues(s.batch * s.m * s.n, 3);
  for (const int threads : {1, 2}) {
    const HarnessHost host(threads);
    std::vector<GuardedMemory> memory;
    // The result's memory is an input, whose sizes the kernel is told.
    for (const auto& values : {a, b, residual, std::vector<float>(residual.size(), NAN)})
      memory.push_back(guarded(values));
    std::vector<void*> buffers;
    buffers.reserve(memory.size());
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    std::vector<int64_t> sizes = {
        s.batch, s.m, s.k, isShared ? 1 : s.batch, s.k, s.n, s.batch, s.m, s.n, s.batch, s.m, s.n};
    if (transposed.a) std::swap(sizes[1], sizes[2]);
    if (transposed.b) std::swap(sizes[4], sizes[5]);
    ASSERT_EQ(kernels.find("k")(host.services(), buffers.data(), sizes.data()), 0);
    const std::vector<float> out = valuesIn(memory.back());
    for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i) {
      const int64_t column = i % s.n, row = i / s.n % s.m, entry = i / s.n / s.m;
      double wanted = residual[i];
      for (int64_t k = 0; k < s.k; ++k) {
        const int64_t ofA = transposed.a ? k * s.m + row : row * s.k + k,
                      ofB = transposed.b ? column * s.k + k : k * s.n + column;
        wanted += static_cast<double>(a[entry * s.m * s.k + ofA]) *
                  b[(isShared ? 0 : entry) * s.k * s.n + ofB];
      }
      ASSERT_NEAR(out[i], std::max(0.0, wanted), 2e-6 * std::sqrt(s.k) + 1e-6)
          << "element " << i << ", threads " << threads;
    }
  }
}

void OpenProductTest::check(Transposed transposed, const std::vector<Sizes>& all, bool isShared) {
  const auto open = f32(llvm::SmallVector<int64_t>(3, mlir::ShapedType::kDynamic));
  const KernelSignature signature{.inputs = {open, open, open, open}, .outputs = {}};
  auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& builder) {
    IndexBuilder b(builder.getUnknownLoc(), builder);
    const mlir::Value output = kernel.inputs[3];
    const auto dim = [&](mlir::Value memory, int64_t i) {
      return b.createOrFold<mlir::memref::DimOp>(memory, i);
    };
    const OpenProduct product{.a = matricesOf(b, kernel.inputs[0], transposed.a, false),
                              .b = matricesOf(b, kernel.inputs[1], transposed.b, isShared),
                              .batch = {dim(output, 0)},
                              .m = dim(output, 1),
                              .n = dim(output, 2),
                              .k = dim(kernel.inputs[0], transposed.a ? 1 : 2)};
    emitOpenProduct(b, b.getLoc(), product, output, target_, reluOfSum(kernel.inputs[2]));
  });
  ASSERT_TRUE(kernels);
  for (const Sizes& sizes : all) {
    SCOPED_TRACE(testing::Message()
                 << sizes.batch << "x" << sizes.m << "x" << sizes.n << "x" << sizes.k);
    checkSize(*kernels, transposed, sizes, isShared);
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
