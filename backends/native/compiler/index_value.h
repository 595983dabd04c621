// Index values with the arithmetic that compiler/ir/spec is written in, so that geometry is stated
// once for sizes that are known and for sizes of the run.
#pragma once

#include "backends/native/compiler/kernel_builder.h"
#include "compiler/ir/spec/integer.h"

namespace tessera::backend_native {

/// A condition on index values.
struct IndexCondition {
  KernelBuilder* builder;
  mlir::Value value;
};

/// An index value and the builder of the kernel it belongs to, which outlives it. What is known
/// folds away.
struct IndexValue {
  KernelBuilder* builder;
  mlir::Value value;

  friend IndexValue operator+(const IndexValue& a, const IndexValue& b) {
    return {a.builder, a.builder->add(a.value, b.value)};
  }
  friend IndexValue operator-(const IndexValue& a, const IndexValue& b) {
    return {a.builder, a.builder->sub(a.value, b.value)};
  }
  friend IndexValue operator*(const IndexValue& a, int64_t b) {
    return {a.builder, a.builder->mul(a.value, b)};
  }
  friend IndexCondition operator<(const IndexValue& a, const IndexValue& b) {
    return {a.builder, a.builder->less(a.value, b.value)};
  }
  friend IndexCondition operator==(const IndexValue& a, const IndexValue& b) {
    return {a.builder, a.builder->equal(a.value, b.value)};
  }
  friend IndexValue floorDiv(const IndexValue& a, int64_t b) {
    return {a.builder, a.builder->floorDiv(a.value, b)};
  }
  friend IndexValue ceilDiv(const IndexValue& a, const IndexValue& b) {
    return {a.builder, a.builder->ceilDiv(a.value, b.value)};
  }
  friend IndexValue smaller(const IndexValue& a, const IndexValue& b) {
    return {a.builder, a.builder->minIndex(a.value, b.value)};
  }
  friend IndexValue larger(const IndexValue& a, const IndexValue& b) {
    return {a.builder, a.builder->maxIndex(a.value, b.value)};
  }
  friend IndexValue select(const IndexCondition& condition, const IndexValue& a,
                           const IndexValue& b) {
    return {a.builder, a.builder->select(condition.value, a.value, b.value)};
  }
  friend IndexValue literal(const IndexValue& like, int64_t number) {
    return {like.builder, like.builder->index(number)};
  }
};

static_assert(ir::spec::Integer<IndexValue>);

}  // namespace tessera::backend_native
