// usage: round_trip MODEL.onnx OUT.onnx OPSET
//
// Imports a model, exports it at opset 23, imports that again and compares the two modules; then
// exports it at OPSET to OUT.onnx. Prints one line for each of the two: "equal" or "written", or
// what went wrong and why. Exit code 0 unless something crashed or the arguments are wrong.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "frontends/onnx/export/test/canonical_text.h"
#include "frontends/onnx/export/weights.h"
#include "frontends/onnx/import/import.h"

namespace tessera::onnx {

static std::string compare(const std::string& first, const std::string& second) {
  if (first == second) return "equal";
  size_t at = 0;
  while (at < first.size() && at < second.size() && first[at] == second[at]) ++at;
  const auto lineAt = [&](const std::string& text) {
    const size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1) + 1;
    return text.substr(begin, std::min<size_t>(text.find('\n', at) - begin, 300));
  };
  return "different: '" + lineAt(first) + "' became '" + lineAt(second) + "'";
}

/// What became of import, export at the newest opset, import.
static std::string roundTrip(mlir::MLIRContext& context, mlir::ModuleOp module,
                             const std::string& scratch) {
  Result<ExportedModel> model = exportModule(module);
  if (!model) return "not exported: " + model.error().toString();
  if (const Status status = writeModelFile(std::move(*model), scratch); !status)
    return "not written: " + status.error().toString();
  auto again = importOnnxFile(context, scratch);
  if (!again) return "not imported again: " + again.error().toString();
  return compare(test::canonicalText(module), test::canonicalText(again->get()));
}

static std::string write(mlir::ModuleOp module, const std::string& path, int opset) {
  Result<ExportedModel> model = exportModule(module, {.opset = opset});
  if (!model) return "not exported: " + model.error().toString();
  const Status status = writeModelFile(std::move(*model), path);
  return status ? "written" : "not written: " + status.error().toString();
}

static int run(const std::string& path, const std::string& output, int opset) {
  mlir::MLIRContext context;
  const auto module = importOnnxFile(context, path);
  if (!module) {
    std::printf("not imported: %s\n", module.error().toString().c_str());
    return 0;
  }
  std::printf("%s\n", roundTrip(context, module->get(), output).c_str());
  std::printf("%s\n", write(module->get(), output, opset).c_str());
  return 0;
}

}  // namespace tessera::onnx

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: round_trip MODEL.onnx OUT.onnx OPSET\n");
    return 2;
  }
  return tessera::onnx::run(argv[1], argv[2], std::atoi(argv[3]));
}
