#include "json_file.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace tessera::cli {

using nlohmann::json;

Error cannotWrite(const std::string& path) {
  Error error = invalidInput("the file cannot be written");
  error.file = path;
  return error;
}

Status writeJson(const std::string& path, const json& value) {
  std::ofstream out(path);
  out << value.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  out.close();
  if (!out) return cannotWrite(path);
  return {};
}

}  // namespace tessera::cli
