#include "compiler/driver/measuring/kept_code.h"

#include "base/cache_folder.h"
#include "compiler/driver/measuring/code_version.h"

namespace tessera::driver {

backend_api::CodeFolder keptCode() {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  return {base::cacheFolder("code"), codeGenerator, kMostBytes};
}

}  // namespace tessera::driver
