// The tsr dialect: tensor operators with ONNX opset-23 semantics and the structure of a placed module.
#ifndef TESSERA_COMPILER_IR_TSR_DIALECT_TD
#define TESSERA_COMPILER_IR_TSR_DIALECT_TD

include "mlir/IR/OpBase.td"

def Tsr_Dialect : Dialect {
  let name = "tsr";
  let cppNamespace = "::tessera::ir";
  let summary = "Tensor operators with ONNX opset-23 semantics, regions, layouts and the host program";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let extraClassDeclaration = [{
    /// The bytes of all constants that modules of this context name by content hash.
    ConstantStore& constants() { return *constants_; }
  private:
    std::shared_ptr<ConstantStore> constants_;
    void registerOps();
    void registerAttributes();
    void registerTypes();
  public:
  }];
}

#endif
