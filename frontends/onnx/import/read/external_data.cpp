#include "frontends/onnx/import/read/external_data.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tessera::onnx {

static Status checkLocation(const std::filesystem::path& location) {
  const std::string shown = "external data file '" + location.string() + "'";
  if (location.empty() || location.string().find('\0') != std::string::npos) {
    return invalidInput("external data has no valid file name");
  }
  if (location.is_absolute())
    return invalidInput(shown + " has an absolute path, expected one inside the model's folder");
  for (const std::filesystem::path& part : location) {
    if (part == "..") return invalidInput(shown + " leads out of the model's folder");
  }
  return {};
}

Result<const SourceBytes*> ExternalFiles::open(const std::string& location) {
  if (auto found = files_.find(location); found != files_.end()) return &found->second;
  if (folder_.empty()) {
    return invalidInput("external data file '" + location +
                        "' cannot be read: the model was given as bytes, without a folder");
  }
  TESSERA_TRY_VOID(checkLocation(location));
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(folder_, error);
  if (error)
    return invalidInput("cannot resolve the model's folder '" + folder_ + "': " + error.message());
  const std::filesystem::path file = std::filesystem::canonical(folder / location, error);
  if (error)
    return invalidInput("external data file '" + location +
                        "' cannot be opened: " + error.message());
  if (std::ranges::mismatch(folder, file).in1 != folder.end()) {
    return invalidInput("external data file '" + location +
                        "' is a symbolic link that leads out of the model's folder");
  }
  TESSERA_TRY(SourceBytes source, mapFile(file.string()));
  return &files_.emplace(location, std::move(source)).first->second;
}

}  // namespace tessera::onnx
