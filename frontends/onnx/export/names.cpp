#include "frontends/onnx/export/names.h"

namespace tessera::onnx {

std::string UniqueNames::take(std::string_view wanted) {
  std::string name(wanted);
  if (!name.empty() && taken_.insert(name).second) return name;
  int& number = nextNumber_.try_emplace(name, 2).first->second;
  while (true) {
    std::string candidate = name + "_" + std::to_string(number++);
    if (taken_.insert(candidate).second) return candidate;
  }
}

const std::string& ValueNames::assign(mlir::Value value, std::string_view wanted) {
  return names_[value] = unique_.take(wanted);
}

std::string_view ValueNames::find(mlir::Value value) const {
  const auto found = names_.find(value);
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace tessera::onnx
