#include "compiler/driver/measuring/code_version.h"

#include <dlfcn.h>

#include "base/content_hash.h"
#include "base/mapped_file.h"
#include "tessera/compile.h"

namespace tessera::driver {

static std::string hashOfThisLibrary() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&hashOfThisLibrary), &info) == 0) return version();
  const auto file = base::MappedFile::open(info.dli_fname);
  return file ? base::contentHash(file->bytes()) : version();
}

const std::string& codeVersion() {
  static const std::string hash = hashOfThisLibrary();
  return hash;
}

}  // namespace tessera::driver
