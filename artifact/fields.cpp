#include "artifact/fields.h"

namespace tessera::artifact {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

template <typename T>
void addText(const std::string& name, const T& value, Texts& texts);

template <typename Struct>
void addFields(const std::string& prefix, const Struct& object, Texts& texts) {
  Fields<Struct>::visit(
      [&](const auto& field) { addText(prefix + field.name, object.*field.member, texts); });
}

template <typename T>
std::string textOf(const T& value) {
  if constexpr (kIsScalar<T>) {
    return std::to_string(value);
  } else {
    return value;
  }
}

template <typename T>
void addText(const std::string& name, const T& value, Texts& texts) {
  if constexpr (!kIsVector<T>) {
    texts.emplace_back(name, textOf(value));
  } else if constexpr (kIsScalar<typename T::value_type> ||
                       std::is_same_v<typename T::value_type, std::string>) {
    std::string list;
    for (const auto& element : value) list += (list.empty() ? "" : ", ") + textOf(element);
    texts.emplace_back(name, std::move(list));
  } else {
    for (size_t i = 0; i < value.size(); ++i)
      addFields(name + "[" + std::to_string(i) + "].", value[i], texts);
  }
}

}  // namespace

Texts fieldTexts(const Region& region) {
  Texts texts;
  addFields("", region, texts);
  return texts;
}

}  // namespace tessera::artifact
