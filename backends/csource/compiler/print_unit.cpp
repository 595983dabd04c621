#include "backends/csource/compiler/print_unit.h"

#include <filesystem>

#include "backends/csource/compiler/flat_region.h"
#include "backends/csource/compiler/print/printers.h"
#include "backends/csource/compiler/print_call.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

/// Waking threads costs as much as about this many operations.
static constexpr int64_t kFewOperations = 32768;

namespace {

/// Prints one region: the functions of its nests, then its own.
class RegionPrinter {
 public:
  RegionPrinter(func::FuncOp region, std::string name, const Options& options)
      : flat_(region),
        name_(std::move(name)),
        options_(options),
        nests_(cutNests(flat_.body(), [&](Operation* op) { return !symbolOf(op).empty(); })),
        memory_(flat_.function(), nests_) {}

  RegionFunction print(std::string& source) {
    CText calls(1);
    for (auto [i, nest] : llvm::enumerate(nests_)) printNest(i, nest, source, calls);
    source += "/* The region. */\n";
    CText body;
    body.open("CSOURCE_EXPORT int32_t " + name_ +
              "(const csource_services* services, void* const* buffers)");
    printFrame(body);
    source += body.str() + calls.str();
    CText end(1);
    for (const OutputCopy& copy : memory_.outputCopies()) printCopy(copy, end);
    end.line("return 0;");
    end.close();
    source += end.str() + "\n";
    return {.name = name_, .workspaceBytes = memory_.workspaceBytes()};
  }

 private:
  StringRef symbolOf(Operation* op) const {
    const auto it = options_.symbols.find(op->getName().stripDialect().str());
    return it == options_.symbols.end() ? StringRef() : StringRef(it->second);
  }

  void printFrame(CText& c) const {
    const int64_t bytes = memory_.workspaceBytes();
    if (bytes > 0) {
      c.line(formatv("char* const workspace = services->workspace(services->host, {0}u);", bytes)
                 .str());
      c.line("if (workspace == NULL) return 1;");
    }
    c.line(formatv("const csource_frame values = {{services, buffers, {0}};",
                   bytes > 0 ? "workspace" : "NULL")
               .str());
    c.line("const csource_frame* const frame = &values;");
  }

  void printNest(size_t number, const Nest& nest, std::string& source, CText& calls) {
    NestWriter w(nest, memory_, flat_.nodeNumber(nest.root()));
    const std::string name = formatv("{0}_nest{1}", name_, number);
    if (nest.anchor && !symbolOf(nest.anchor).empty()) {
      printCall(w, symbolOf(nest.anchor));
      source += w.callFunction(name) + "\n";
      calls.line(formatv("if ({0}(frame) != 0) return csource_call_failed(frame, {1});", name,
                         cString(symbolOf(nest.anchor)))
                     .str());
      return;
    }
    if (nest.anchor)
      findNestRow(nest.anchor)->print(w);
    else
      printElementwise(w);
    if (w.items.count == "0") return;
    source += w.function(name) + "\n";
    for (const std::string& line : w.beforeLines()) calls.line(line);
    if (w.items.numOperations <= kFewOperations)
      calls.line(formatv("{0}((void*)frame, 0, {1});", name, w.items.count).str());
    else
      calls.line(
          formatv("if (csource_run(frame, {1}, {0}) != 0) return 1;", name, w.items.count).str());
  }

  void printCopy(const OutputCopy& copy, CText& c) const {
    const unsigned output = flat_.numArguments() + copy.output;
    c.line(formatv("memcpy(frame->buffers[{0}], {1}, {2});", output,
                   placeText(copy.source, flat_.numArguments()), copy.sizeBytes)
               .str());
  }

  FlatRegion flat_;
  std::string name_;
  const Options& options_;
  SmallVector<Nest> nests_;
  MemoryPlan memory_;
};

}  // namespace

Unit printUnit(ArrayRef<func::FuncOp> regions, const Options& options) {
  Unit unit;
  unit.source =
      "/* Made by Tessera. Each region is a function of its name; its loop nests stand in "
      "front of it. */\n#include \"tessera_csource.h\"\n";
  if (!options.header.empty())
    unit.source +=
        "#include " + cString(std::filesystem::path(options.header).filename().string()) + "\n";
  unit.source += "\n";
  for (auto [i, region] : llvm::enumerate(regions)) {
    func::FuncOp function = region;
    // With a word in front, so that a region may have the name of any function of C.
    const std::string name =
        "region_" +
        (isCName("_" + function.getName().str()) ? function.getName().str() : std::to_string(i));
    RegionPrinter printer(function, name, options);
    unit.functions.push_back(printer.print(unit.source));
  }
  return unit;
}

}  // namespace tessera::backend_csource
