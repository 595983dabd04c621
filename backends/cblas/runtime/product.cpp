#include "backends/cblas/runtime/product.h"

#include <algorithm>

#include "tessera/element_type.h"

namespace tessera::backend_cblas {

using region_graph::GraphT;
using region_graph::OperatorT;
using region_graph::TensorT;
using Dims = std::vector<int64_t>;

// CBLAS numbers its words.
static constexpr int kRowMajor = 101, kNoTrans = 111, kTrans = 112;

static Error misfit(const OperatorT& op) {
  return invalidInput(op.name + ": its sizes do not multiply");
}

/// For each position of `batch` the number of the matrix of an operand whose own batch is
/// `dims`, aligned at the end and repeated where it has size 1; empty where it does not fit.
static std::vector<int64_t> matrixOf(const Dims& batch, const Dims& dims) {
  std::vector<int64_t> numbers = {0};
  const size_t lead = batch.size() - dims.size();
  for (size_t d = 0; d < batch.size(); ++d) {
    const int64_t size = d < lead ? 1 : dims[d - lead];
    if (size != batch[d] && size != 1) return {};
    std::vector<int64_t> next;
    for (const int64_t number : numbers) {
      for (int64_t i = 0; i < batch[d]; ++i) next.push_back(number * size + (size == 1 ? 0 : i));
    }
    numbers = std::move(next);
  }
  return numbers;
}

/// numpy's product: vectors count as a row or a column, leading dimensions are the batch.
static Result<Product> matmulOf(Dims a, Dims b, const OperatorT& op) {
  if (a.empty() || b.empty()) return misfit(op);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const auto take = [](Dims& dims) {
    const int64_t last = dims.back();
    dims.pop_back();
    return static_cast<int>(last);
  };
  Product product;
  product.n = take(b);
  product.k = take(a);
  product.m = take(a);
  if (take(b) != product.k) return misfit(op);
  if (b.empty()) {  // One matrix for all rows: one product.
    for (const int64_t size : a) product.m *= static_cast<int>(size);
    product.offsetsA = product.offsetsB = {0};
    return product;
  }
  Dims batch(std::max(a.size(), b.size()), 1);
  for (const Dims* dims : {&a, &b}) {
    for (size_t d = 0; d < dims->size(); ++d) {
      int64_t& size = batch[batch.size() - dims->size() + d];
      size = size == 1 ? (*dims)[d] : size;
    }
  }
  product.offsetsA = matrixOf(batch, a);
  product.offsetsB = matrixOf(batch, b);
  if (product.offsetsA.size() != product.offsetsB.size()) return misfit(op);
  for (int64_t& offset : product.offsetsA) offset *= int64_t{product.m} * product.k;
  for (int64_t& offset : product.offsetsB) offset *= int64_t{product.k} * product.n;
  return product;
}

static Result<Product> gemmOf(const Dims& a, const Dims& b, const OperatorT& op) {
  if (a.size() != 2 || b.size() != 2) return misfit(op);
  const auto& attributes = *op.attributes.AsProduct();
  Product product;
  product.transposesA = attributes.transposes_a;
  product.transposesB = attributes.transposes_b;
  product.alpha = attributes.alpha;
  product.beta = attributes.beta;
  product.m = static_cast<int>(a[product.transposesA ? 1 : 0]);
  product.k = static_cast<int>(a[product.transposesA ? 0 : 1]);
  product.n = static_cast<int>(b[product.transposesB ? 0 : 1]);
  if (b[product.transposesB ? 1 : 0] != product.k) return misfit(op);
  product.offsetsA = product.offsetsB = {0};
  return product;
}

static Status setC(Product& product, Dims c, const OperatorT& op) {
  while (c.size() > 2 && c.front() == 1) c.erase(c.begin());
  if (c.size() > 2 || product.hasC) return misfit(op);
  const int64_t columns = c.empty() ? 1 : c.back();
  const int64_t rows = c.size() < 2 ? 1 : c.front();
  if ((columns != 1 && columns != product.n) || (rows != 1 && rows != product.m)) return misfit(op);
  product.hasC = true;
  product.strideC = {rows == 1 ? 0 : columns, columns == 1 ? 0 : 1};
  return {};
}

Result<Product> Product::of(const GraphT& graph, const OperatorT& op, int32_t bias) {
  const auto tensor = [&](int32_t index) -> const TensorT& {
    return *graph.tensors[static_cast<size_t>(index)];
  };
  const bool isGemm = op.name == "gemm";
  if (!isGemm && op.name != "matmul") return invalidInput("there is no kernel for " + op.name);
  const TensorT& y = tensor(op.outputs.front());
  std::vector<int32_t> named = op.inputs;
  named.push_back(op.outputs.front());
  named.push_back(bias);
  for (const int32_t index : named) {
    if (index == region_graph::kAbsent) continue;
    const int64_t count = numElements(tensor(index));
    if (count < 0 || count > INT32_MAX || !isRowMajor(tensor(index)) ||
        tensor(index).element_type != y.element_type)
      return misfit(op);
  }
  const Dims &a = tensor(op.inputs[0]).dims, &b = tensor(op.inputs[1]).dims;
  TESSERA_TRY(Product product, isGemm ? gemmOf(a, b, op) : matmulOf(a, b, op));
  if (op.inputs.size() > 2 && op.inputs[2] != region_graph::kAbsent)
    TESSERA_TRY_VOID(setC(product, tensor(op.inputs[2]).dims, op));
  if (bias != region_graph::kAbsent) {
    TESSERA_TRY_VOID(setC(product, tensor(bias).dims, op));
    product.beta = 1;
  }
  const auto type = static_cast<ElementType>(y.element_type);
  if (type != ElementType::kF32 && type != ElementType::kF64) return misfit(op);
  product.isDouble = type == ElementType::kF64;
  const auto batch = static_cast<int64_t>(product.offsetsA.size());
  if (numElements(y) != batch * product.m * product.n) return misfit(op);
  return product;
}

namespace {

template <typename T>
struct Operands {
  const Product& product;
  const Library& library;
  const T* a;
  const T* b;
  const T* c;
  T* y;
};

}  // namespace

static void gemm(const Library& library, int transA, int transB, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c) {
  library.sgemm(kRowMajor, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, n);
}
static void gemm(const Library& library, int transA, int transB, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c) {
  library.dgemm(kRowMajor, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, n);
}

/// Matrices [begin, end) of the batch.
template <typename T>
static void multiply(void* context, int64_t begin, int64_t end) {
  const auto& operands = *static_cast<const Operands<T>*>(context);
  const Product& p = operands.product;
  for (int64_t i = begin; i < end; ++i) {
    T* y = operands.y + i * p.m * p.n;
    for (int64_t row = 0; p.hasC && row < p.m; ++row) {
      const T* c = operands.c + row * p.strideC[0];
      for (int64_t column = 0; column < p.n; ++column)
        y[row * p.n + column] = c[column * p.strideC[1]];
    }
    const T beta = p.hasC ? static_cast<T>(p.beta) : T{0};
    if (p.k == 0) {  // OpenBLAS leaves y as it is.
      for (int64_t e = 0; e < int64_t{p.m} * p.n; ++e) y[e] = p.hasC ? beta * y[e] : T{0};
      continue;
    }
    gemm(operands.library, p.transposesA ? kTrans : kNoTrans, p.transposesB ? kTrans : kNoTrans,
         p.m, p.n, p.k, static_cast<T>(p.alpha), operands.a + p.offsetsA[static_cast<size_t>(i)],
         p.transposesA ? p.m : p.k, operands.b + p.offsetsB[static_cast<size_t>(i)],
         p.transposesB ? p.k : p.n, beta, y);
  }
}

/// The same on one thread, without a team of OpenBLAS's own: the number that OpenMP has for the
/// calling thread is put back.
template <typename T>
static void multiplyAlone(void* context, int64_t begin, int64_t end) {
  const Library& library = static_cast<const Operands<T>*>(context)->library;
  const int before = library.maxThreads();
  library.setNumThreads(1);
  multiply<T>(context, begin, end);
  library.setNumThreads(before);
}

template <typename T>
static void runAs(const Product& product, const Library& library, const tessera_host_services& host,
                  const void* a, const void* b, const void* c, void* y) {
  if (product.m == 0 || product.n == 0) return;
  Operands<T> operands{.product = product,
                       .library = library,
                       .a = static_cast<const T*>(a),
                       .b = static_cast<const T*>(b),
                       .c = static_cast<const T*>(c),
                       .y = static_cast<T*>(y)};
  const auto batch = static_cast<int64_t>(product.offsetsA.size());
  const int32_t numThreads = host.num_threads(host.host);
  if (batch >= numThreads && numThreads > 1) {
    // No joining of threads after each matrix.
    (void)host.parallel_for(host.host, batch, multiplyAlone<T>, &operands);
    return;
  }
  const int before = library.maxThreads();
  library.setNumThreads(numThreads);
  multiply<T>(&operands, 0, batch);
  library.setNumThreads(before);
}

void run(const Product& product, const Library& library, const tessera_host_services& host,
         const void* a, const void* b, const void* c, void* y) {
  if (product.isDouble) {
    runAs<double>(product, library, host, a, b, c, y);
  } else {
    runAs<float>(product, library, host, a, b, c, y);
  }
}

}  // namespace tessera::backend_cblas
