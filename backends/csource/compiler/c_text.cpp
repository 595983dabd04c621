#include "backends/csource/compiler/c_text.h"

#include <cmath>
#include <cstring>

#include "compiler/ir/types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera::backend_csource {

using namespace mlir;

void CText::line(const llvm::Twine& text) {
  const std::string content = text.str();
  if (!content.empty()) text_.append(size_t{2} * depth_, ' ').append(content);
  text_ += '\n';
}

void CText::open(const llvm::Twine& head) {
  line(head + " {");
  ++depth_;
}

void CText::openLoop(llvm::StringRef name, const llvm::Twine& last, const llvm::Twine& first) {
  open("for (int64_t " + name + " = " + first + "; " + name + " < " + last + "; ++" + name + ")");
}

std::string CText::position(llvm::StringRef name, const llvm::Twine& value, int64_t extent) {
  if (extent == 1) return "0";
  line("const int64_t " + name + " = " + value + ";");
  return name.str();
}

void CText::close() {
  --depth_;
  line("}");
}

void CText::closeAll(unsigned blocks) {
  for (; blocks > 0; --blocks) close();
}

std::string cType(Type element) {
  switch (ir::toElementType(element)) {
    case ElementType::kF32:
      return "float";
    case ElementType::kF64:
      return "double";
    case ElementType::kBool:
      return "uint8_t";
    default:
      break;
  }
  const auto integer = dyn_cast<IntegerType>(element);
  if (!integer) return "";
  return (integer.isUnsigned() ? "uint" : "int") + std::to_string(integer.getWidth()) + "_t";
}

std::string cSuffix(Type element) {
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

std::string mathSuffix(Type element) { return element.isF32() ? "f" : ""; }

std::string cReal(double value, Type element) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(element.isF32() ? "%.9g" : "%.17g", value);
  if (llvm::StringRef(text).find_first_of(".e") == llvm::StringRef::npos) text += ".0";
  return text + mathSuffix(element);
}

std::string cInteger(int64_t value) {
  // The least number is no constant in C: its digits are those of a positive one.
  if (value == INT64_MIN) return "INT64_MIN";
  return value == static_cast<int32_t>(value) && value != INT32_MIN
             ? std::to_string(value)
             : "INT64_C(" + std::to_string(value) + ")";
}

/// "UINT8_MAX" of ui8.
static std::string limitOf(Type element, StringRef which) {
  if (element.isInteger(1)) return which == "MAX" ? "1" : "0";
  const bool isUnsigned = element.isUnsignedInteger();
  if (isUnsigned && which == "MIN") return "0";
  return ((isUnsigned ? "UINT" : "INT") + llvm::Twine(element.getIntOrFloatBitWidth()) + "_" +
          which)
      .str();
}

std::string leastOf(Type element) {
  return isa<FloatType>(element) ? "-INFINITY" : limitOf(element, "MIN");
}

std::string greatestOf(Type element) {
  return isa<FloatType>(element) ? "INFINITY" : limitOf(element, "MAX");
}

template <typename T>
static T readElement(std::span<const std::byte> bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

std::string cElement(std::span<const std::byte> bytes, int64_t i, Type element) {
  switch (ir::toElementType(element)) {
    case ElementType::kF32:
      return cReal(readElement<float>(bytes, i), element);
    case ElementType::kF64:
      return cReal(readElement<double>(bytes, i), element);
    case ElementType::kBool:
    case ElementType::kU8:
      return cInteger(readElement<uint8_t>(bytes, i));
    case ElementType::kI8:
      return cInteger(readElement<int8_t>(bytes, i));
    case ElementType::kI16:
      return cInteger(readElement<int16_t>(bytes, i));
    case ElementType::kU16:
      return cInteger(readElement<uint16_t>(bytes, i));
    case ElementType::kI32:
      return cInteger(readElement<int32_t>(bytes, i));
    case ElementType::kU32:
      return cInteger(readElement<uint32_t>(bytes, i));
    case ElementType::kU64:
      return "UINT64_C(" + std::to_string(readElement<uint64_t>(bytes, i)) + ")";
    default:
      return cInteger(readElement<int64_t>(bytes, i));
  }
}

std::string cString(llvm::StringRef text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += llvm::isPrint(c) && c != '?' ? c : '_';
  }
  return quoted + "\"";
}

std::string cComment(llvm::StringRef text) {
  std::string clean;
  for (const char c : text) clean += llvm::isPrint(c) && c != '\\' ? c : '_';
  return clean;
}

std::string cList(llvm::ArrayRef<int64_t> values) {
  std::string text = "{";
  for (const int64_t value : values) text += (text.size() > 1 ? ", " : "") + cInteger(value);
  return text + "}";
}

std::string sumText(llvm::StringRef a, llvm::StringRef b) {
  if (a.empty() || a == "0") return b.str();
  if (b.empty() || b == "0") return a.str();
  return b.starts_with("-") ? (a + " - " + b.drop_front()).str() : (a + " + " + b).str();
}

std::string scaledText(llvm::StringRef index, int64_t factor) {
  if (factor == 0 || index == "0") return "0";
  if (factor == 1) return index.str();
  return (index + " * " + llvm::Twine(factor)).str();
}

}  // namespace tessera::backend_csource
