#include "backends/cblas/runtime/library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace tessera::backend_cblas {

/// What openblas_get_parallel() says of a library built with OpenMP.
static constexpr int kParallelByOpenMp = 2;

std::string libraryPathOf(const std::string& targetText) {
  static constexpr std::string_view kName = " -library=";
  const size_t found = targetText.find(kName);
  if (found == std::string::npos) return "";
  std::string path;
  size_t i = found + kName.size();
  const bool isQuoted = i < targetText.size() && targetText[i] == '"';
  if (isQuoted) ++i;
  for (const char end = isQuoted ? '"' : ' '; i < targetText.size() && targetText[i] != end; ++i) {
    if (isQuoted && targetText[i] == '\\' && i + 1 < targetText.size()) ++i;
    path += targetText[i];
  }
  return path;
}

/// The best kernels that the CPU runs, by the names of OpenBLAS 0.3.21; null: let it decide.
static const char* coreType() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

template <typename Function>
static bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Result<std::unique_ptr<Library>> loadLibrary(const std::string& path) {
  if (const char* core = coreType()) setenv("OPENBLAS_CORETYPE", core, /*overwrite=*/0);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return targetFailed("cannot load OpenBLAS: " + std::string(dlerror()));
  auto library = std::make_unique<Library>();
  int (*parallelism)() = nullptr;
  if (!find(handle, "cblas_sgemm", library->sgemm) ||
      !find(handle, "cblas_dgemm", library->dgemm) ||
      !find(handle, "openblas_get_parallel", parallelism))
    return targetFailed("'" + path + "' is not OpenBLAS");
  if (parallelism() != kParallelByOpenMp ||
      !find(handle, "omp_set_num_threads", library->setNumThreads) ||
      !find(handle, "omp_get_max_threads", library->maxThreads))
    return targetFailed("'" + path + "' is not built with OpenMP");
  return library;
}

}  // namespace tessera::backend_cblas
