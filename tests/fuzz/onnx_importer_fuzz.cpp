// The ONNX importer on arbitrary bytes: a module that verifies, or an error with a message; never a
// crash.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "frontends/onnx/import/import.h"
#include "mlir/IR/MLIRContext.h"

namespace {

/// A context keeps every attribute and type it ever made, so it is replaced now and then.
class ContextPool {
 public:
  mlir::MLIRContext& get() {
    if (!context_ || uses_++ == kUsesPerContext) {
      context_ = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
      uses_ = 0;
    }
    return *context_;
  }

 private:
  static constexpr int kUsesPerContext = 256;
  std::unique_ptr<mlir::MLIRContext> context_;
  int uses_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static ContextPool contexts;
  const auto module = tessera::onnx::importOnnxBytes(
      contexts.get(), std::as_bytes(std::span(data, size)), /*owner=*/nullptr);
  if (!module && module.error().message.empty()) std::abort();
  return 0;
}
