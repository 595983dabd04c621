// Matrix products of f32, a block of rows and a tile of columns at a time (prelude); of other types
// plain loops.
#include "backends/csource/compiler/print/printers.h"
#include "compiler/ir/tsr.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

std::optional<std::string> refuseProduct(Operation* op) {
  const Type element = typeOf(op->getOperand(0)).getElementType();
  auto gemm = dyn_cast<ir::GemmOp>(op);
  if (gemm && !isa<FloatType>(element)) return "it scales products of floats only";
  return std::nullopt;
}

namespace {

/// A matrix of a stack: where matrix `i` of the result finds it, and the strides in it.
struct MatrixOperand {
  std::string pointer;
  Ints batchStrides;  ///< For each batch dimension of the result.
  int64_t rowStride = 0, columnStride = 0;
};

/// rows x depth times depth x columns, for each index of `batch`.
struct Product {
  MatrixOperand left, right;
  Ints batch;
  int64_t rows = 1, depth = 1, columns = 1;
  LoopDims loops;  ///< Of the result: batch, rows, columns; empty where one is not there.

  int64_t numMatrices() const { return productOf(batch); }
};

}  // namespace

/// Writes the declarations of `i`, the number of the matrix, and pointers to both operands.
static void declareMatrices(NestWriter& w, const Product& product) {
  const std::string type = cType(typeOf(w.anchor()->getOperand(0)).getElementType());
  for (const auto& [name, operand] : {std::pair("a", &product.left), {"b", &product.right}}) {
    std::string offset;
    int64_t inner = product.numMatrices();
    for (auto [d, size] : llvm::enumerate(product.batch)) {
      inner /= size;
      if (size == 1 || operand->batchStrides[d] == 0) continue;
      std::string index = "i";
      if (inner != 1) index += " / " + std::to_string(inner);
      if (inner * size != product.numMatrices()) index += " % " + std::to_string(size);
      offset = sumText(offset, scaledText(index, operand->batchStrides[d]));
    }
    w.body.line(
        formatv("const {0}* const {1} = {2};", type, name, sumText(operand->pointer, offset))
            .str());
  }
}

/// Stores `sum` of matrix i at a row and a column.
static void storeProduct(NestWriter& w, const Product& product, const std::string& sum,
                         const std::string& row, const std::string& column) {
  const std::string matrix = product.numMatrices() == 1 ? "0" : "i";
  w.storeTail(sum, product.loops, {matrix, row, column});
}

using SumText = llvm::function_ref<std::string(const std::string& sum, const std::string& row,
                                               const std::string& column)>;

/// Rows that share a panel of the right matrix.
static int64_t blockRows(const Product& product) {
  constexpr int64_t kMost = 128, kLeast = 16, kItems = 16, kColumns = 48;
  int64_t rows = std::min(kMost, (product.rows + 7) / 8 * 8);
  const auto items = [&] {
    return product.numMatrices() * ((product.columns + kColumns - 1) / kColumns) *
           ((product.rows + rows - 1) / rows);
  };
  while (rows > kLeast && items() < kItems) rows = (rows / 2 + 7) / 8 * 8;
  return rows;
}

static void printTiledProduct(NestWriter& w, const Product& product, SumText finish) {
  CText& c = w.body;
  const int64_t rows = blockRows(product), blocks = (product.rows + rows - 1) / rows;
  w.items.count =
      formatv("{0} * csource_tiles({1})", product.numMatrices() * blocks, product.columns);
  c.line(formatv("const int64_t tiles = csource_tiles({0});", product.columns).str());
  c.openLoop("item", "end", "begin");
  c.line(formatv("const int64_t column = item % tiles * CSOURCE_TILE_COLUMNS, width = "
                 "csource_min({0} - column, CSOURCE_TILE_COLUMNS);",
                 product.columns)
             .str());
  c.line(formatv("const int64_t first = item / tiles % {0} * {1}, count = csource_min({2} - first, "
                 "{1});",
                 blocks, rows, product.rows)
             .str());
  if (product.numMatrices() > 1)
    c.line(formatv("const int64_t i = item / tiles / {0};", blocks).str());
  declareMatrices(w, product);
  c.line("csource_sums sums;");
  c.line(formatv("csource_product_block((csource_matrix){{a, {0}, {1}}, (csource_matrix){{b, "
                 "{2}, {3}}, {4}, first, count, column, width, sums);",
                 product.left.rowStride, product.left.columnStride, product.right.rowStride,
                 product.right.columnStride, product.depth)
             .str());
  c.openLoop("r", "count");
  const std::string m = c.position("m", "first + r", product.rows);
  c.openLoop("j", "width");
  const std::string p = c.position("p", "column + j", product.columns);
  storeProduct(w, product, finish("sums[r][j]", m, p), m, p);
  c.closeAll(3);
}

/// One element of the result after the other: for few rows, where the depth of both operands is
/// contiguous.
static void printDotProduct(NestWriter& w, const Product& product, SumText finish) {
  CText& c = w.body;
  w.items.count = std::to_string(product.numMatrices() * product.columns);
  c.openLoop("item", "end", "begin");
  const std::string p = product.numMatrices() > 1 ? "p" : "item";
  if (product.numMatrices() > 1)
    c.line(formatv("const int64_t i = item / {0}, p = item % {0};", product.columns).str());
  declareMatrices(w, product);
  c.openLoop("m", std::to_string(product.rows));
  c.line(formatv("const float sum = csource_dot(a + m * {0}, b + {1} * {2}, {3});",
                 product.left.rowStride, p, product.right.columnStride, product.depth)
             .str());
  storeProduct(w, product, finish("sum", "m", p), "m", p);
  c.closeAll(2);
}

/// The sum is kept in the widest type of its kind; integers wrap.
static void printPlainProduct(NestWriter& w, const Product& product, SumText finish) {
  CText& c = w.body;
  const Type element = typeOf(w.anchor()->getOperand(0)).getElementType();
  const std::string type = cType(element);
  const std::string sumType = isa<FloatType>(element) ? "double" : "uint64_t";
  w.items.count = std::to_string(product.numMatrices() * product.rows);
  c.openLoop("item", "end", "begin");
  const bool isStack = product.numMatrices() > 1;
  if (isStack) c.line(formatv("const int64_t i = item / {0}, m = item % {0};", product.rows).str());
  const std::string m = isStack ? "m" : "item";
  declareMatrices(w, product);
  c.openLoop("p", std::to_string(product.columns));
  c.line(sumType + " sum = 0;");
  c.openLoop("k", std::to_string(product.depth));
  c.line(formatv("sum += ({0})a[{1} * {2} + k * {3}] * ({0})b[k * {4} + p * {5}];", sumType, m,
                 product.left.rowStride, product.left.columnStride, product.right.rowStride,
                 product.right.columnStride)
             .str());
  c.close();
  storeProduct(w, product, finish("(" + type + ")sum", m, "p"), m, "p");
  c.closeAll(2);
}

static void printProduct(NestWriter& w, const Product& product, SumText finish) {
  w.items.numOperations =
      2 * product.numMatrices() * product.rows * product.depth * product.columns;
  constexpr int64_t kFewRows = 4;
  const bool isDot =
      product.rows <= kFewRows && product.left.columnStride == 1 && product.right.rowStride == 1;
  if (!typeOf(w.anchor()->getOperand(0)).getElementType().isF32())
    printPlainProduct(w, product, finish);
  else if (isDot)
    printDotProduct(w, product, finish);
  else
    printTiledProduct(w, product, finish);
}

/// A vector counts as a row on the left side and as a column on the right one.
static Ints asMatrices(Value operand, bool isLeft) {
  Ints shape(typeOf(operand).getShape());
  if (shape.size() == 1) shape.insert(isLeft ? shape.begin() : shape.end(), 1);
  return shape;
}

/// Strides of the matrices of a stack that is broadcast to `batch`.
static Ints batchStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> batch) {
  const Ints own = stridesOf(shape);
  Ints strides(batch.size(), 0);
  const size_t count = shape.size() - 2;
  for (size_t i = 0; i < count; ++i) {
    if (shape[count - 1 - i] != 1) strides[batch.size() - 1 - i] = own[count - 1 - i];
  }
  return strides;
}

/// One right matrix for all left ones: these are a single tall one.
static void joinLeftMatrices(const Nest& nest, ArrayRef<int64_t> a, Product& product) {
  const bool isShared =
      llvm::all_of(product.right.batchStrides, [](int64_t s) { return s == 0; }) &&
      productOf(a.drop_back(2)) == product.numMatrices();
  const int64_t rowsEnd = product.loops[1].last;
  const LoopDims joined = {{0, 0, 1},
                           {0, rowsEnd, product.rows * product.numMatrices()},
                           {rowsEnd, rowsEnd + 1, product.columns}};
  const auto reads = [&](Operation* op) {
    return llvm::all_of(llvm::seq(op->getNumOperands()), [&](unsigned i) {
      return loopStrides(typeOf(op->getResult(0)).getShape(), operandStrides(op, i), joined)
          .has_value();
    });
  };
  if (!isShared || !llvm::all_of(nest.tail, reads)) return;
  product.rows *= product.numMatrices();
  product.batch.clear();
  product.left.batchStrides.clear();
  product.right.batchStrides.clear();
  product.loops = joined;
}

void printMatmul(NestWriter& w) {
  auto op = cast<ir::MatmulOp>(w.anchor());
  const Ints a = asMatrices(op.getA(), true), b = asMatrices(op.getB(), false);
  const auto y = typeOf(op.getY()).getShape();
  const bool hasRows = typeOf(op.getA()).getRank() > 1,
             hasColumns = typeOf(op.getB()).getRank() > 1;
  const auto numBatch = static_cast<int64_t>(y.size()) - (hasRows ? 1 : 0) - (hasColumns ? 1 : 0);
  Product product;
  product.batch = Ints(y.take_front(numBatch));
  product.rows = a[a.size() - 2];
  product.depth = a.back();
  product.columns = b.back();
  product.left = {.pointer = w.input(op.getA()),
                  .batchStrides = batchStrides(a, product.batch),
                  .rowStride = a.back(),
                  .columnStride = 1};
  product.right = {.pointer = w.input(op.getB()),
                   .batchStrides = batchStrides(b, product.batch),
                   .rowStride = b.back(),
                   .columnStride = 1};
  const int64_t rowsEnd = numBatch + (hasRows ? 1 : 0);
  product.loops = {{0, numBatch, product.numMatrices()},
                   {numBatch, rowsEnd, product.rows},
                   {rowsEnd, rowsEnd + (hasColumns ? 1 : 0), product.columns}};
  if (hasRows && hasColumns) joinLeftMatrices(w.nest(), a, product);
  printProduct(w, product,
               [](const std::string& sum, const std::string&, const std::string&) { return sum; });
}

void printGemm(NestWriter& w) {
  auto op = cast<ir::GemmOp>(w.anchor());
  const auto a = typeOf(op.getA()).getShape(), b = typeOf(op.getB()).getShape();
  const bool transA = op.getTransA() != 0, transB = op.getTransB() != 0;
  const auto y = typeOf(op.getY()).getShape();
  Product product;
  product.rows = y[0];
  product.depth = a[transA ? 0 : 1];
  product.columns = y[1];
  product.left = {.pointer = w.input(op.getA()),
                  .batchStrides = {},
                  .rowStride = transA ? 1 : a[1],
                  .columnStride = transA ? a[1] : 1};
  product.right = {.pointer = w.input(op.getB()),
                   .batchStrides = {},
                   .rowStride = transB ? 1 : b[1],
                   .columnStride = transB ? b[1] : 1};
  product.loops = {{0, 0, 1}, {0, 1, y[0]}, {1, 2, y[1]}};
  const Type element = typeOf(op.getA()).getElementType();
  const double alpha = op.getAlpha().convertToDouble(), beta = op.getBeta().convertToDouble();
  printProduct(
      w, product, [&](const std::string& sum, const std::string& row, const std::string& column) {
        std::string text = alpha == 1 ? sum : cReal(alpha, element) + " * " + sum;
        // As in BLAS, a C that beta leaves out may hold anything.
        if (!op.getC() || beta == 0) return text;
        Ints strides(2, 0);
        const auto c = typeOf(op.getC()).getShape();
        const Ints own = stridesOf(c);
        for (size_t i = 0; i < c.size(); ++i) {
          if (c[c.size() - 1 - i] != 1) strides[1 - i] = own[c.size() - 1 - i];
        }
        const std::string at = sumText(scaledText(row, strides[0]), scaledText(column, strides[1]));
        const std::string added = w.element(op.getC(), at.empty() ? "0" : at);
        return "(" + text + " + " + (beta == 1 ? added : cReal(beta, element) + " * " + added) +
               ")";
      });
}

}  // namespace tessera::backend_csource
