#include "tools/tessera/placing/plan_text.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/tessera/json_file.h"

namespace tessera::cli {

Result<std::string> readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (file && text) return text.str();
  Error error = invalidInput("the file cannot be read");
  error.file = path;
  return error;
}

Status writeText(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (file && !error) return {};
  std::filesystem::remove(part, error);
  return cannotWrite(path);
}

Status savePlan(const Module& module, const std::string& path) {
  TESSERA_TRY(const std::string text, module.plan());
  return writeText(path, text);
}

}  // namespace tessera::cli
