#include "compiler/driver/tensor_io/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace tessera::tensor_io {

namespace {

struct Descriptor {
  std::string_view text;  ///< Without the byte order.
  ElementType type;
};
// NOLINTBEGIN(modernize-use-designated-initializers): rows of a table.
constexpr std::array<Descriptor, 12> kDescriptors = {{{"f4", ElementType::kF32},
                                                      {"f8", ElementType::kF64},
                                                      {"f2", ElementType::kF16},
                                                      {"i1", ElementType::kI8},
                                                      {"i2", ElementType::kI16},
                                                      {"i4", ElementType::kI32},
                                                      {"i8", ElementType::kI64},
                                                      {"u1", ElementType::kU8},
                                                      {"u2", ElementType::kU16},
                                                      {"u4", ElementType::kU32},
                                                      {"u8", ElementType::kU64},
                                                      {"b1", ElementType::kBool}}};
// NOLINTEND(modernize-use-designated-initializers)

/// The text between `key` and the end of its value in the header's Python dictionary.
std::optional<std::string_view> valueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + key.size() + 2);
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(colon + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  const size_t end =
      !rest.empty() && rest.front() == '(' ? rest.find(')') : rest.find_first_of(",}");
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

std::optional<std::vector<int64_t>> parseShape(std::string_view text) {
  std::vector<int64_t> shape;
  if (text.empty() || text.front() != '(') return std::nullopt;
  text.remove_prefix(1);
  while (!text.empty()) {
    const size_t digit = text.find_first_not_of(", ");
    if (digit == std::string_view::npos) break;
    int64_t size = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + digit, last, size);
    if (error != std::errc() || size < 0 || shape.size() >= 64) return std::nullopt;
    shape.push_back(size);
    text = std::string_view(end, static_cast<size_t>(last - end));
  }
  return shape;
}

/// Copies column-major data to row-major order.
void copyFromFortran(const std::byte* source, const HostTensor& target, std::byte* data) {
  const size_t elementSize = elementSizeBytes(target.type);
  const size_t rank = target.shape.size();
  std::vector<int64_t> index(rank, 0);
  for (size_t at = 0; at < target.bytes.size(); at += elementSize) {
    size_t offset = 0;
    for (size_t d = rank; d-- > 0;) offset = offset * target.shape[d] + index[d];
    std::memcpy(data + at, source + offset * elementSize, elementSize);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < target.shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace

Result<HostTensor> decodeNpy(std::span<const std::byte> file, const std::string& name) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.size() < 12 || !text.starts_with(kMagic)) return invalidInput("it is no .npy file");
  const int version = static_cast<unsigned char>(text[6]);
  const size_t prefix = version == 1 ? 10 : 12;
  uint32_t headerSize = 0;
  std::memcpy(&headerSize, text.data() + 8, version == 1 ? 2 : 4);
  if (headerSize > text.size() - prefix) return invalidInput("it is a truncated .npy file");
  const std::string_view header = text.substr(prefix, headerSize);
  const auto descriptor = valueOf(header, "descr");
  const auto shapeText = valueOf(header, "shape");
  const auto shape = shapeText ? parseShape(*shapeText) : std::nullopt;
  if (!descriptor || descriptor->size() < 4 || !shape)
    return invalidInput("its .npy header cannot be read");
  if ((*descriptor)[1] == '>')
    return invalidInput("its elements are big-endian, expected little-endian");
  const std::string_view typeName = descriptor->substr(2, descriptor->size() - 3);
  const auto* const known =
      std::ranges::find_if(kDescriptors, [&](const Descriptor& d) { return d.text == typeName; });
  if (known == kDescriptors.end())
    return invalidInput("its element type '" + std::string(typeName) + "' is not known");

  TESSERA_TRY(WritableTensor result, allocateTensor(name, known->type, *shape));
  const auto data = file.subspan(prefix + headerSize);
  if (data.size() != result.tensor.bytes.size()) {
    return invalidInput("it holds " + std::to_string(data.size()) + " bytes of data, expected " +
                        std::to_string(result.tensor.bytes.size()) + " for its shape");
  }
  const auto fortran = valueOf(header, "fortran_order");
  if (fortran && fortran->starts_with("True"))
    copyFromFortran(data.data(), result.tensor, result.data);
  else if (!data.empty())
    std::memcpy(result.data, data.data(), data.size());
  return std::move(result.tensor);
}

std::string npyHeader(const HostTensor& tensor) {
  std::string_view type = "f4";
  for (const Descriptor& descriptor : kDescriptors) {
    if (descriptor.type == tensor.type) type = descriptor.text;
  }
  std::string shape;
  for (const int64_t size : tensor.shape) shape += std::to_string(size) + ", ";
  if (tensor.shape.size() > 1) shape.resize(shape.size() - 2);
  if (tensor.shape.size() == 1) shape.pop_back();
  const char order = elementSizeBytes(tensor.type) == 1 ? '|' : '<';
  std::string dictionary = std::string("{'descr': '") + order + std::string(type) +
                           "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  const auto size = static_cast<uint16_t>(dictionary.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header.append(reinterpret_cast<const char*>(&size), 2);
  return header + dictionary;
}

}  // namespace tessera::tensor_io
