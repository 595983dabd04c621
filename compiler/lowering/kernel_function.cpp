#include "compiler/lowering/kernel_function.h"

#include <cstddef>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tessera/backend_runtime.h"

using namespace mlir;

namespace tessera::lowering {

// Fields of tessera_host_services by number: two of 32 bits, then addresses.
enum class ServiceField : int32_t {
  kHost = 2,
  kParallelFor = 3,
  kAllocOutput = 4,
  kWorkspace = 5,
  kRefuse = 8,
  kAllocate = 9,
  kRelease = 10
};

static constexpr size_t offsetOf(ServiceField field) {
  return 2 * sizeof(uint32_t) + (static_cast<size_t>(field) - 2) * sizeof(void*);
}
static_assert(offsetOf(ServiceField::kHost) == offsetof(tessera_host_services, host) &&
              offsetOf(ServiceField::kParallelFor) ==
                  offsetof(tessera_host_services, parallel_for) &&
              offsetOf(ServiceField::kAllocOutput) ==
                  offsetof(tessera_host_services, alloc_output) &&
              offsetOf(ServiceField::kWorkspace) == offsetof(tessera_host_services, workspace) &&
              offsetOf(ServiceField::kRefuse) == offsetof(tessera_host_services, refuse) &&
              offsetOf(ServiceField::kAllocate) == offsetof(tessera_host_services, allocate) &&
              offsetOf(ServiceField::kRelease) == offsetof(tessera_host_services, release));

static LLVM::LLVMPointerType pointerType(OpBuilder& b) {
  return LLVM::LLVMPointerType::get(b.getContext());
}

static Value i64Constant(OpBuilder& b, Location loc, int64_t value) {
  return b.create<LLVM::ConstantOp>(loc, b.getI64Type(), b.getI64IntegerAttr(value));
}

// buffers[index] or sizes[index].
static Value loadElement(OpBuilder& b, Location loc, Value array, Type type, unsigned index) {
  const Value address = b.create<LLVM::GEPOp>(loc, pointerType(b), type, array,
                                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  return b.create<LLVM::LoadOp>(loc, type, address);
}

static Value loadService(OpBuilder& b, Location loc, func::FuncOp kernel, ServiceField field) {
  const Type i32 = b.getI32Type();
  const Type pointer = pointerType(b);
  SmallVector<Type> fields = {i32, i32};
  fields.append(static_cast<size_t>(ServiceField::kRelease) - 1, pointer);
  auto services = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  const Value address =
      b.create<LLVM::GEPOp>(loc, pointer, services, kernel.getArgument(0),
                            ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(field)});
  return b.create<LLVM::LoadOp>(loc, pointer, address);
}

// services->field(services->host, arguments...)
static LLVM::CallOp callService(OpBuilder& b, Location loc, func::FuncOp kernel, ServiceField field,
                                Type result, ArrayRef<Value> arguments) {
  SmallVector<Value> operands = {loadService(b, loc, kernel, field),
                                 loadService(b, loc, kernel, ServiceField::kHost)};
  operands.append(arguments.begin(), arguments.end());
  const SmallVector<Type> types = llvm::to_vector(ValueRange(operands).drop_front().getTypes());
  return b.create<LLVM::CallOp>(loc, LLVM::LLVMFunctionType::get(result, types), operands);
}

Value buildMemRef(OpBuilder& b, Location loc, Value pointer, MemRefType type,
                  ValueRange dynamicSizes) {
  // A rank-0 descriptor is {allocated, aligned, offset}; the rest is a reinterpretation of it.
  auto scalarType = MemRefType::get({}, type.getElementType());
  auto descriptorType = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer.getType(), pointer.getType(), b.getI64Type()});
  Value descriptor = b.create<LLVM::UndefOp>(loc, descriptorType);
  descriptor = b.create<LLVM::InsertValueOp>(loc, descriptor, pointer, 0);
  descriptor = b.create<LLVM::InsertValueOp>(loc, descriptor, pointer, 1);
  descriptor = b.create<LLVM::InsertValueOp>(loc, descriptor, i64Constant(b, loc, 0), 2);
  const Value scalar =
      b.create<UnrealizedConversionCastOp>(loc, scalarType, descriptor).getResult(0);
  return type.getRank() == 0 ? scalar : buildReshapedView(b, loc, scalar, type, dynamicSizes);
}

Value buildReshapedView(OpBuilder& b, Location loc, Value base, MemRefType type,
                        ValueRange dynamicSizes) {
  SmallVector<OpFoldResult> sizes;
  auto dynamicSize = dynamicSizes.begin();
  for (const int64_t size : type.getShape()) {
    sizes.push_back(ShapedType::isDynamic(size) ? OpFoldResult(*dynamicSize++)
                                                : OpFoldResult(b.getIndexAttr(size)));
  }
  SmallVector<OpFoldResult> strides(sizes.size());
  OpFoldResult stride = b.getIndexAttr(1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    auto constantStride = getConstantIntValue(stride);
    auto constantSize = getConstantIntValue(sizes[i]);
    if (constantStride && constantSize) {
      stride = b.getIndexAttr(*constantStride * *constantSize);
    } else {
      stride = b.create<arith::MulIOp>(loc, getValueOrCreateConstantIndexOp(b, loc, stride),
                                       getValueOrCreateConstantIndexOp(b, loc, sizes[i]))
                   .getResult();
    }
  }
  return b.create<memref::ReinterpretCastOp>(loc, type, base, b.getIndexAttr(0), sizes, strides);
}

KernelFunction createKernelFunction(ModuleOp module, StringRef name,
                                    const KernelSignature& signature) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  const Location loc = module.getLoc();
  const Type pointer = pointerType(b);
  KernelFunction kernel;
  kernel.function = b.create<func::FuncOp>(
      loc, name, b.getFunctionType({pointer, pointer, pointer}, {b.getI32Type()}));
  kernel.function->setAttr(kKernelAttr, b.getUnitAttr());
  Block* entry = kernel.function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  unsigned bufferIndex = 0;
  unsigned sizeIndex = 0;
  for (const MemRefType type : signature.inputs) {
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getNumDynamicDims(); ++i) {
      const Value size = loadElement(b, loc, entry->getArgument(2), b.getI64Type(), sizeIndex++);
      sizes.push_back(b.create<arith::IndexCastOp>(loc, b.getIndexType(), size));
    }
    const Value address = loadElement(b, loc, entry->getArgument(1), pointer, bufferIndex++);
    kernel.inputs.push_back(buildMemRef(b, loc, address, type, sizes));
  }
  for (const MemRefType type : signature.outputs) {
    const unsigned index = bufferIndex++;
    if (!type.hasStaticShape()) {
      kernel.outputs.push_back(nullptr);
      continue;
    }
    kernel.outputs.push_back(
        buildMemRef(b, loc, loadElement(b, loc, entry->getArgument(1), pointer, index), type, {}));
  }
  const Value success = b.create<arith::ConstantIntOp>(loc, 0, 32);
  b.create<func::ReturnOp>(loc, success);
  return kernel;
}

Value buildAllocOutput(OpBuilder& b, Location loc, func::FuncOp kernel, unsigned index,
                       MemRefType type, ValueRange dynamicSizes) {
  const Type i64 = b.getI64Type();
  Value dims;
  {
    const OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    dims = b.create<LLVM::AllocaOp>(loc, pointerType(b), i64,
                                    i64Constant(b, loc, std::max<int64_t>(type.getRank(), 1)));
  }
  auto dynamicSize = dynamicSizes.begin();
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    const Value value = ShapedType::isDynamic(size)
                            ? b.create<arith::IndexCastOp>(loc, i64, *dynamicSize++).getResult()
                            : i64Constant(b, loc, size);
    const Value address = b.create<LLVM::GEPOp>(loc, pointerType(b), i64, dims,
                                                ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    b.create<LLVM::StoreOp>(loc, value, address);
  }
  auto i32Constant = [&](int32_t value) {
    return b.create<LLVM::ConstantOp>(loc, b.getI32Type(), b.getI32IntegerAttr(value));
  };
  LLVM::CallOp call = callService(b, loc, kernel, ServiceField::kAllocOutput, pointerType(b),
                                  {i32Constant(static_cast<int32_t>(index)),
                                   i32Constant(static_cast<int32_t>(type.getRank())), dims});
  call->setAttr(kMayFailAttr, b.getUnitAttr());
  return buildMemRef(b, loc, call.getResult(), type, dynamicSizes);
}

Value buildWorkspace(OpBuilder& b, Location loc, func::FuncOp kernel, int64_t bytes) {
  LLVM::CallOp call = callService(b, loc, kernel, ServiceField::kWorkspace, pointerType(b),
                                  {i64Constant(b, loc, bytes)});
  call->setAttr(kMayFailAttr, b.getUnitAttr());
  return call.getResult();
}

void buildRefuse(OpBuilder& b, Location loc, func::FuncOp kernel, uint32_t node, Value text,
                 Value found, Value expected) {
  const Type i64 = b.getI64Type();
  const Value number = b.create<LLVM::ConstantOp>(loc, b.getI32Type(),
                                                  b.getI32IntegerAttr(static_cast<int32_t>(node)));
  callService(b, loc, kernel, ServiceField::kRefuse, LLVM::LLVMVoidType::get(b.getContext()),
              {number, text, b.create<arith::IndexCastOp>(loc, i64, found),
               b.create<arith::IndexCastOp>(loc, i64, expected)});
}

Value buildAllocate(OpBuilder& b, Location loc, func::FuncOp kernel, Value bytes) {
  LLVM::CallOp call = callService(b, loc, kernel, ServiceField::kAllocate, pointerType(b), {bytes});
  call->setAttr(kMayFailAttr, b.getUnitAttr());
  return call.getResult();
}

void buildRelease(OpBuilder& b, Location loc, func::FuncOp kernel, Value pointer) {
  callService(b, loc, kernel, ServiceField::kRelease, LLVM::LLVMVoidType::get(b.getContext()),
              {pointer});
}

void buildParallelFor(OpBuilder& b, Location loc, func::FuncOp kernel, Value count, Value body,
                      Value context) {
  const LLVM::CallOp call = callService(b, loc, kernel, ServiceField::kParallelFor, b.getI32Type(),
                                        {count, body, context});
  call->setAttr(kMayFailAttr, b.getUnitAttr());
}

}  // namespace tessera::lowering
