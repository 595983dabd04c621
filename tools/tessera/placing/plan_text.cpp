#include "tools/tessera/placing/plan_text.h"

#include "base/atomic_file.h"

namespace tessera::cli {

Status savePlan(const Module& module, const std::string& path) {
  TESSERA_TRY(const std::string text, module.plan());
  return base::writeFile(path, text);
}

}  // namespace tessera::cli
