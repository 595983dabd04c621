#include "bench/passes/body.h"

#include <algorithm>

namespace tessera::bench {
namespace {

int64_t bytesOf(const std::string& element) {
  if (element == "i1") return 1;
  return element == "i64" ? 8 : 4;
}

}  // namespace

int64_t lanesOfBlocks() { return __builtin_cpu_supports("avx512f") != 0 ? 16 : 8; }

std::string Type::text() const {
  std::string text = "tensor<";
  for (const int64_t size : shape) text += std::to_string(size) + "x";
  text += element;
  if (layout == Layout::kBlocks)
    text +=
        ", #tsr.layout<blockDims = [1], blockSizes = [" + std::to_string(lanesOfBlocks()) + "]>";
  return text + ">";
}

int64_t Type::elements() const {
  int64_t elements = 1;
  for (const int64_t size : shape) elements *= size;
  return elements;
}

int64_t Type::bytes() const { return elements() * bytesOf(element); }

Body::Body(Shape input, Layout layout) {
  types_.emplace("%x", Type(std::move(input), "f32", layout));
}

Body& Body::constant(const std::string& name, const Shape& shape, const std::string& value,
                     Layout layout) {
  const Type plain(shape), type(shape, "f32", layout);
  const bool isPlain = layout == Layout::kPlain;
  text_ += name + (isPlain ? "" : "p") + " = tsr.constant dense<" + value + "> : " + plain.text() +
           " -> " + plain.text() + "\n";
  if (!isPlain)
    text_ +=
        name + " = tsr.relayout " + name + "p : (" + plain.text() + ") -> " + type.text() + "\n";
  types_.emplace(name, type);
  constantBytes_ += type.bytes();
  return *this;
}

Body& Body::whole(const std::string& name, const std::string& values, const Shape& shape) {
  const Type type(shape, "i64");
  text_ +=
      name + " = tsr.constant dense<" + values + "> : " + type.text() + " -> " + type.text() + "\n";
  types_.emplace(name, type);
  constantBytes_ += type.bytes();
  return *this;
}

Body& Body::relayout(Layout layout) {
  const Type& last = types_.at(results_[0]);
  const Type type(last.shape, last.element, layout);
  const std::string value = "%v" + std::to_string(++count_);
  text_ += value + " = tsr.relayout " + operands({}) + " : " + signature({}) + type.text() + "\n";
  types_.emplace(value, type);
  results_ = {value};
  return *this;
}

Body& Body::op(const std::string& name, const std::vector<std::string>& others,
               const std::string& attributes, const std::optional<Type>& result) {
  const Type& last = types_.at(results_[0]);
  Type type = result.value_or(last);
  type.layout = last.layout;
  const std::string value = "%v" + std::to_string(++count_);
  text_ += value + " = tsr." + name + " " + operands(others) + " " + attributes + " : " +
           signature(others) + type.text() + "\n";
  types_.emplace(value, type);
  results_ = {value};
  return *this;
}

Body& Body::pair(const std::string& name, const std::vector<std::string>& others,
                 const std::string& attributes, const Type& first, const Type& second) {
  const std::string value = "%v" + std::to_string(++count_);
  const Layout layout = types_.at(results_[0]).layout;
  const Type types[] = {{first.shape, first.element, layout},
                        {second.shape, second.element, layout}};
  text_ += value + ":2 = tsr." + name + " " + operands(others) + " " + attributes + " : " +
           signature(others) + "(" + types[0].text() + ", " + types[1].text() + ")\n";
  results_ = {value + "#0", value + "#1"};
  for (int i = 0; i < 2; ++i) types_.emplace(results_[i], types[i]);
  return *this;
}

std::string Body::module() const {
  std::string ports, values, types;
  for (size_t i = 0; i < results_.size(); ++i) {
    const std::string comma = i == 0 ? "" : ", ", type = types_.at(results_[i]).text();
    ports += comma + type + " {tessera.name = \"y" + std::to_string(i) + "\"}";
    values += comma + results_[i];
    types += comma + type;
  }
  return "module attributes {tessera.phase = \"import\"} {\nfunc.func @main(%x: " + input().text() +
         " {tessera.name = \"x\"}) -> (" + ports + ") {\n" + text_ + "return " + values + " : " +
         types + "\n}\n}\n";
}

int64_t Body::bytes() const { return input().bytes() + constantBytes_ + resultBytes(); }

int64_t Body::lines() const { return std::max(input().bytes(), resultBytes()) / 64; }

std::string Body::operands(const std::vector<std::string>& others) const {
  std::string text = results_[0];
  for (const std::string& other : others) text += ", " + other;
  return text;
}

/// "(types) -> ".
std::string Body::signature(const std::vector<std::string>& others) const {
  std::string text = "(" + types_.at(results_[0]).text();
  for (const std::string& other : others) text += ", " + types_.at(other).text();
  return text + ") -> ";
}

int64_t Body::resultBytes() const {
  int64_t bytes = 0;
  for (const std::string& result : results_) bytes += types_.at(result).bytes();
  return bytes;
}

}  // namespace tessera::bench
