#include "backends/csource/compiler/c_compiler.h"

#include <unistd.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"

namespace tessera::backend_csource {

namespace fs = std::filesystem;

static constexpr const char* kPreludeName = "tessera_csource.h";

llvm::StringRef preludeText() {
  static constexpr char kText[] =
#include "backends/csource/compiler/prelude_text.inc"
      ;
  return {kText, sizeof(kText) - 1};
}

namespace {

/// A folder that nobody else reads, as long as the object lives.
class PrivateFolder {
 public:
  static Result<PrivateFolder> make() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "tessera-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr)
      return targetFailed("cannot make a folder for the C compiler in the system's temporary one");
    return PrivateFolder(std::move(pattern));
  }
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  std::string file(llvm::StringRef name) const { return path_ + "/" + name.str(); }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

Result<std::string> findCompiler(const std::string& name) {
  const std::vector<std::string> names =
      name == "cc" ? std::vector<std::string>{"cc", "gcc", "clang"} : std::vector{name};
  for (const std::string& candidate : names) {
    if (const auto path = llvm::sys::findProgramByName(candidate)) return *path;
  }
  return targetFailed("there is no C compiler '" + llvm::join(names, "', '") + "'");
}

std::vector<std::string> codeFlags(const Options& options) {
  std::vector<std::string> flags = {"-std=gnu11", "-O3", "-march=" + options.cpu.cpu,
                                    // Elements are computed where C's rules allow it: no errno, no
                                    // traps. Values stay what they are.
                                    "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast",
                                    "-fwrapv", "-Werror=implicit-function-declaration"};
  constexpr int64_t kLanesOf512Bits = 16;
  if (options.cpu.vectorLanes >= kLanesOf512Bits) flags.push_back("-mprefer-vector-width=512");
  // Headers beside the user's own.
  if (!options.header.empty())
    flags.push_back("-I" + fs::absolute(options.header).parent_path().string());
  llvm::append_range(flags, options.flags);
  return flags;
}

/// The first thing that the compiler has against the file, without our paths.
static std::string firstMessage(llvm::StringRef output, const PrivateFolder& folder) {
  llvm::StringRef found;
  for (const llvm::StringRef line : llvm::split(output, '\n')) {
    if (found.empty()) found = line;
    if (!line.contains("error:")) continue;
    found = line;
    break;
  }
  std::string text = found.trim().str();
  const std::string prefix = folder.file("");
  for (size_t at = 0; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
  return text.empty() ? "it says nothing" : text;
}

/// Runs the compiler on `source`, written to the folder.
static Status runCompiler(llvm::StringRef source, const Options& options,
                          const PrivateFolder& folder, std::vector<std::string> arguments) {
  TESSERA_TRY(const std::string compiler, findCompiler(options.compiler));
  const std::string unit = folder.file("csource.c"), messages = folder.file("messages");
  TESSERA_TRY_VOID(base::writeFile(folder.file(kPreludeName), preludeText()));
  TESSERA_TRY_VOID(base::writeFile(unit, source));
  arguments.insert(arguments.begin(), compiler);
  arguments.insert(arguments.begin() + 1, {"-x", "c", unit, "-x", "none"});
  std::vector<llvm::StringRef> environment = {"LC_ALL=C"};  // Messages in English.
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!llvm::StringRef(*variable).starts_with("LC_ALL=")) environment.emplace_back(*variable);
  }
  const std::vector<llvm::StringRef> words(arguments.begin(), arguments.end());
  const std::optional<llvm::StringRef> redirects[] = {"", messages, messages};
  std::string failure;
  const int status =
      llvm::sys::ExecuteAndWait(compiler, words, environment, redirects, 0, 0, &failure);
  if (status == 0) return {};
  if (!failure.empty())
    return targetFailed("the C compiler '" + options.compiler + "' cannot be run: " + failure);
  TESSERA_TRY(const std::string output, base::readFile(messages));
  return targetFailed("the C compiler '" + options.compiler +
                      "' fails: " + firstMessage(output, folder));
}

Result<std::vector<std::byte>> compileC(llvm::StringRef source, const Options& options) {
  TESSERA_TRY(const PrivateFolder folder, PrivateFolder::make());
  const std::string library = folder.file("csource.so");
  std::vector<std::string> arguments = codeFlags(options);
  llvm::append_range(arguments,
                     std::initializer_list<std::string>{
                         "-fPIC", "-shared", "-fvisibility=hidden", "-s", "-Wl,--build-id=none",
                         "-Wl,--no-undefined", "-Wl,-z,noseparate-code", "-o", library, "-lm"});
  TESSERA_TRY_VOID(runCompiler(source, options, folder, std::move(arguments)));
  TESSERA_TRY(const base::MappedFile file, base::MappedFile::open(library));
  return std::vector<std::byte>(file.bytes().begin(), file.bytes().end());
}

Status checkHeader(const Options& options) {
  if (auto header = base::readFile(options.header); !header)
    return usageError("-header: " + header.error().toString());
  TESSERA_TRY(const PrivateFolder folder, PrivateFolder::make());
  const std::string source = std::string("#include \"") + kPreludeName + "\"\n#include \"" +
                             fs::path(options.header).filename().string() + "\"\n";
  std::vector<std::string> arguments = codeFlags(options);
  arguments.emplace_back("-fsyntax-only");
  if (auto checked = runCompiler(source, options, folder, std::move(arguments)); !checked)
    return usageError("-header " + options.header + ": " + checked.error().message);
  return {};
}

Status keepSource(llvm::StringRef source, const Options& options) {
  if (options.keep.empty()) return {};
  std::error_code error;
  fs::create_directories(options.keep, error);
  if (error) return targetFailed("-keep " + options.keep + ": " + error.message());
  TESSERA_TRY_VOID(base::writeFile(options.keep + "/" + kPreludeName, preludeText()));
  return base::writeFile(options.keep + "/csource.c", source);
}

}  // namespace tessera::backend_csource
