#include "compiler/lowering/object/link_shared.h"

#include <array>
#include <mutex>

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace tessera::lowering {

namespace {

/// A folder for the linker's files (lld cannot write to a memfd), removed with its contents.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create() {
    llvm::SmallString<128> path;
    if (const std::error_code code = llvm::sys::fs::createUniqueDirectory("tessera-link", path)) {
      return targetFailed("cannot create a temporary folder: " + code.message());
    }
    return TemporaryFolder(path.str().str());
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    if (!path_.empty()) (void)llvm::sys::fs::remove_directories(path_);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

static Status writeFile(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code) return targetFailed("cannot write " + path + ": " + code.message());
  stream.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  stream.close();
  if (stream.has_error()) {
    const std::string message = stream.error().message();
    stream.clear_error();
    return targetFailed("cannot write " + path + ": " + message);
  }
  return {};
}

// The C library's shared objects, where the linker can find their symbols; empty when the machine
// keeps them elsewhere.
static std::vector<std::string> systemLibraries() {
  constexpr std::array<const char*, 4> kFolders = {
      "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64"};
  for (const char* folder : kFolders) {
    const std::string libm = std::string(folder) + "/libm.so.6";
    const std::string libc = std::string(folder) + "/libc.so.6";
    if (llvm::sys::fs::exists(libm) && llvm::sys::fs::exists(libc)) return {libm, libc};
  }
  return {};
}

static bool runLinker(const std::vector<std::string>& arguments, std::string& messages) {
  static std::mutex mutex;
  std::vector<const char*> argv;
  argv.reserve(arguments.size());
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  llvm::raw_string_ostream stream(messages);
  const std::lock_guard<std::mutex> lock(mutex);
  const lld::Result result =
      lld::lldMain(argv, stream, stream, {{.f = lld::Gnu, .d = &lld::elf::link}});
  return result.retCode == 0;
}

Result<std::vector<uint8_t>> linkShared(std::span<const std::vector<uint8_t>> objects,
                                        const LinkOptions& options) {
  TESSERA_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string output = folder.file("kernels.so");
  // --threads=1 leaves no worker thread behind; the names of the inputs do not reach the output.
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "--threads=1",
                                        "--build-id=none",
                                        "--hash-style=gnu",
                                        "--as-needed",
                                        "--gc-sections",
                                        "-z",
                                        "noexecstack",
                                        "-z",
                                        "relro",
                                        "-z",
                                        "now",
                                        "-s",
                                        "-o",
                                        output};
  if (!options.soname.empty()) arguments.insert(arguments.end(), {"-soname", options.soname});
  for (size_t i = 0; i < objects.size(); ++i) {
    const std::string path = folder.file("object" + std::to_string(i) + ".o");
    TESSERA_TRY_VOID(writeFile(path, objects[i]));
    arguments.push_back(path);
  }
  std::vector<std::string> libraries = systemLibraries();
  if (!libraries.empty()) arguments.insert(arguments.end(), {"-z", "defs"});
  arguments.insert(arguments.end(), libraries.begin(), libraries.end());

  std::string messages;
  if (!runLinker(arguments, messages)) {
    Error error = targetFailed("the linker rejected the kernels");
    error.notes.push_back(messages);
    return error;
  }
  auto buffer = llvm::MemoryBuffer::getFile(output);
  if (!buffer)
    return targetFailed("cannot read the linked kernels: " + buffer.getError().message());
  const llvm::StringRef bytes = (*buffer)->getBuffer();
  return std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
}

}  // namespace tessera::lowering
