#include "compiler/driver/measuring/linked_files.h"

#include <dlfcn.h>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tessera::driver {

namespace fs = std::filesystem;
using Elf = llvm::object::ELF64LE;

/// The loader's folders for the main program.
static std::vector<fs::path> loaderFolders() {
  std::vector<fs::path> folders;
  void* program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo sizes = {};
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &sizes) != 0) return folders;
  std::vector<std::byte> memory(sizes.dls_size);
  auto* found = reinterpret_cast<Dl_serinfo*>(memory.data());
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, found) == 0 &&
      dlinfo(program, RTLD_DI_SERINFO, found) == 0)
    for (unsigned i = 0; i < found->dls_cnt; ++i)
      folders.emplace_back(found->dls_serpath[i].dls_name);
  dlclose(program);
  return folders;
}

fs::path findSharedLibrary(const std::string& name, const std::vector<fs::path>& first) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos)
    return fs::exists(name, ignored) ? fs::path(name) : fs::path();
  std::vector<fs::path> folders = first;
  for (fs::path& folder : loaderFolders()) folders.push_back(std::move(folder));
  for (const fs::path& folder : folders)
    if (fs::exists(folder / name, ignored)) return folder / name;
  return {};
}

namespace {

/// The names in an object's dynamic section.
struct Needs {
  std::vector<std::string> names;
  std::string runPath;
};

}  // namespace

static llvm::Expected<Needs> needsOf(llvm::StringRef bytes) {
  auto file = llvm::object::ELFFile<Elf>::create(bytes);
  if (!file) return file.takeError();
  auto entries = file->dynamicEntries();
  if (!entries) return entries.takeError();
  Needs needs;
  std::vector<uint64_t> names, paths;  // Offsets into the strings.
  const char* strings = nullptr;
  uint64_t size = 0;
  for (const Elf::Dyn& entry : *entries) {
    if (entry.d_tag == llvm::ELF::DT_NEEDED) names.push_back(entry.getVal());
    if (entry.d_tag == llvm::ELF::DT_RUNPATH || entry.d_tag == llvm::ELF::DT_RPATH)
      paths.push_back(entry.getVal());
    if (entry.d_tag == llvm::ELF::DT_STRSZ) size = entry.getVal();
    if (entry.d_tag != llvm::ELF::DT_STRTAB) continue;
    auto address = file->toMappedAddr(entry.getPtr());
    if (!address) return address.takeError();
    strings = reinterpret_cast<const char*>(*address);
  }
  if (strings == nullptr || strings + size > bytes.end() || size == 0) return needs;
  const auto textAt = [&](uint64_t offset) {
    return offset < size ? std::string(strings + offset, strnlen(strings + offset, size - offset))
                         : std::string();
  };
  for (const uint64_t offset : names) needs.names.push_back(textAt(offset));
  for (const uint64_t offset : paths) needs.runPath += textAt(offset) + ":";
  return needs;
}

std::vector<fs::path> linkedFiles(const fs::path& file) {
  const auto bytes = llvm::MemoryBuffer::getFile(file.string(), /*IsText=*/false,
                                                 /*RequiresNullTerminator=*/false);
  if (!bytes) return {};
  llvm::Expected<Needs> needs = needsOf((*bytes)->getBuffer());
  if (!needs) {
    llvm::consumeError(needs.takeError());
    return {};
  }
  std::vector<fs::path> folders;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(needs->runPath).split(parts, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (const llvm::StringRef part : parts) {
    std::string folder = part.str();
    for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
      if (const size_t at = folder.find(origin); at != std::string::npos)
        folder.replace(at, origin.size(), file.parent_path().string());
    folders.emplace_back(std::move(folder));
  }
  std::vector<fs::path> found;
  for (const std::string& name : needs->names)
    if (fs::path path = findSharedLibrary(name, folders); !path.empty())
      found.push_back(std::move(path));
  return found;
}

}  // namespace tessera::driver
