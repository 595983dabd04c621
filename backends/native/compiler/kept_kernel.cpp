// The code goes into an attribute, not only its key: whoever emits may be another process than
// whoever optimised (compiler/isolation), with another cache.
#include "backends/native/compiler/kept_kernel.h"

#include <cstring>

#include "backends/native/compiler/kernels.h"
#include "base/content_hash.h"

namespace tessera::backend_native {

using namespace mlir;

static constexpr llvm::StringLiteral kKeyAttr = "tessera.code_key";
static constexpr llvm::StringLiteral kCodeAttr = "tessera.kept_code";

std::string keyOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // What comes from a file or out of a phase is verified; doing so again takes longer than this.
  module.print(stream, OpPrintingFlags().useLocalScope().assumeVerified());
  const target::Target target = backend_api::fromAttribute(backend_api::ownerOf(module));
  return target.toString() + " " + kVersion + " " + base::contentHash(text);
}

std::vector<std::byte> pack(const KeptKernel& kernel) {
  const auto workspace = static_cast<uint64_t>(kernel.workspaceBytes);
  std::vector<std::byte> bytes(sizeof(workspace) + kernel.object.size());
  std::memcpy(bytes.data(), &workspace, sizeof(workspace));
  llvm::copy(kernel.object, bytes.begin() + sizeof(workspace));
  return bytes;
}

std::optional<KeptKernel> unpack(std::span<const std::byte> bytes) {
  uint64_t workspace = 0;
  if (bytes.size() <= sizeof(workspace)) return std::nullopt;
  std::memcpy(&workspace, bytes.data(), sizeof(workspace));
  return KeptKernel{.workspaceBytes = workspace, .object = bytes.subspan(sizeof(workspace))};
}

void noteKey(ModuleOp kernels, const std::string& key) {
  kernels->setAttr(kKeyAttr, StringAttr::get(kernels.getContext(), key));
}

std::string notedKey(ModuleOp kernels) {
  const auto key = kernels->getAttrOfType<StringAttr>(kKeyAttr);
  return key ? key.str() : "";
}

void replaceByCode(ModuleOp kernels, std::span<const std::byte> packed) {
  const StringRef bytes(reinterpret_cast<const char*>(packed.data()), packed.size());
  kernels->setAttr(kCodeAttr, StringAttr::get(kernels.getContext(), bytes));
  kernels.getBody()->clear();
}

std::optional<KeptKernel> codeOf(ModuleOp kernels) {
  const auto code = kernels->getAttrOfType<StringAttr>(kCodeAttr);
  if (!code) return std::nullopt;
  const StringRef bytes = code.getValue();
  return unpack(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

}  // namespace tessera::backend_native
