// Walks the protobuf wire format (https://protobuf.dev/programming-guides/encoding) driven by a
// table of the ONNX fields that matter. A submessage that is descended into may shrink, so its
// length is written as a five-byte varint that is filled in afterwards; parsers accept such padded
// varints.
#include "frontends/onnx/import/read/wire_skeleton.h"

#include <cstring>
#include <optional>

#include "frontends/onnx/import/read/source.h"

namespace tessera::onnx {

namespace {

enum class Message : uint8_t {
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSparseTensor,
  kFunction,
  kOther
};

enum class Action : uint8_t {
  kDescend,    ///< A submessage with fields of interest.
  kReference,  ///< Replaced by a RawDataReference.
  kDrop,       ///< Left out.
  kBytes,      ///< Copied; takes in memory what it takes in the file.
  kVarints,    ///< Copied; a one-byte varint becomes 8 bytes in memory.
  kOpaque,     ///< Copied; strings and small messages, e.g. a 2-byte dimension becomes 40 bytes in
               ///< memory.
};

struct FieldRule {
  Message parent;
  uint32_t number;
  Action action;
  Message child = Message::kOther;
};

// Numbers are those of onnx-ml.proto. Length-delimited fields not listed are kOpaque.
// NOLINTBEGIN(modernize-use-designated-initializers): rows of a table.
constexpr FieldRule kRules[] = {
    {Message::kModel, 7, Action::kDescend, Message::kGraph},
    {Message::kModel, 20, Action::kDrop},  // training_info
    {Message::kModel, 25, Action::kDescend, Message::kFunction},
    {Message::kGraph, 1, Action::kDescend, Message::kNode},
    {Message::kGraph, 5, Action::kDescend, Message::kTensor},
    {Message::kGraph, 15, Action::kDescend, Message::kSparseTensor},
    {Message::kNode, 5, Action::kDescend, Message::kAttribute},
    {Message::kAttribute, 4, Action::kBytes},  // s
    {Message::kAttribute, 5, Action::kDescend, Message::kTensor},
    {Message::kAttribute, 6, Action::kDescend, Message::kGraph},
    {Message::kAttribute, 7, Action::kBytes},    // floats
    {Message::kAttribute, 8, Action::kVarints},  // ints
    {Message::kAttribute, 10, Action::kDescend, Message::kTensor},
    {Message::kAttribute, 11, Action::kDescend, Message::kGraph},
    {Message::kAttribute, 22, Action::kDescend, Message::kSparseTensor},
    {Message::kAttribute, 23, Action::kDescend, Message::kSparseTensor},
    {Message::kTensor, 4, Action::kBytes},      // float_data
    {Message::kTensor, 5, Action::kVarints},    // int32_data
    {Message::kTensor, 7, Action::kVarints},    // int64_data
    {Message::kTensor, 9, Action::kReference},  // raw_data
    {Message::kTensor, 10, Action::kBytes},     // double_data
    {Message::kTensor, 11, Action::kVarints},   // uint64_data
    {Message::kSparseTensor, 1, Action::kDescend, Message::kTensor},
    {Message::kSparseTensor, 2, Action::kDescend, Message::kTensor},
    {Message::kFunction, 7, Action::kDescend, Message::kNode},
    {Message::kFunction, 11, Action::kDescend, Message::kAttribute},
};
// NOLINTEND(modernize-use-designated-initializers)

constexpr FieldRule ruleFor(Message parent, uint32_t number) {
  for (const FieldRule& rule : kRules) {
    if (rule.parent == parent && rule.number == number) return rule;
  }
  return {.parent = parent, .number = number, .action = Action::kOpaque};
}

constexpr int kMaxDepth = 64;
constexpr uint64_t kMaxParsedBytes = uint64_t{2} << 30;
constexpr uint64_t kMessageCost = 300;
constexpr uint64_t kFieldCost = 40;
constexpr uint64_t kOpaqueFactor = 24;
constexpr uint64_t kVarintFactor = 8;
constexpr size_t kPaddedLengthBytes = 5;

class SkeletonWriter {
 public:
  explicit SkeletonWriter(std::span<const std::byte> bytes)
      : data_(reinterpret_cast<const uint8_t*>(bytes.data())), size_(bytes.size()) {}

  Status writeMessage(Message message, size_t end, int depth);
  std::string take() { return std::move(output_); }

 private:
  Status writeLengthDelimited(Message message, uint32_t number, size_t keyBegin, size_t end,
                              int depth);
  std::optional<uint64_t> readVarint(size_t end);
  Status charge(uint64_t sizeBytes);
  Error malformed(const char* what) const {
    return invalidInput("truncated or not an ONNX file: " + std::string(what) + " at byte " +
                        std::to_string(position_) + " of " + std::to_string(size_));
  }
  void copy(size_t begin, size_t end) {
    output_.append(reinterpret_cast<const char*>(data_) + begin, end - begin);
  }

  const uint8_t* data_;
  size_t size_;
  size_t position_ = 0;
  uint64_t parsedBytes_ = 0;
  std::string output_;
};

}  // namespace

std::optional<uint64_t> SkeletonWriter::readVarint(size_t end) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (position_ >= end) return std::nullopt;
    const uint8_t byte = data_[position_++];
    if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

Status SkeletonWriter::charge(uint64_t sizeBytes) {
  parsedBytes_ += sizeBytes;
  if (parsedBytes_ <= kMaxParsedBytes) return {};
  return invalidInput(
      "the graph's structure (everything but tensor data) would take more than 2 GiB of memory");
}

static void appendReference(std::string& output, RawDataReference reference) {
  char encoded[kRawDataReferenceBytes];
  std::memcpy(encoded, &reference.offset, 8);
  std::memcpy(encoded + 8, &reference.sizeBytes, 8);
  output.push_back(
      static_cast<char>(kRawDataReferenceBytes));  // the field's length, a one-byte varint
  output.append(encoded, sizeof encoded);
}

RawDataReference readRawDataReference(std::string_view rawData) {
  RawDataReference reference;
  if (rawData.size() != kRawDataReferenceBytes) return reference;
  std::memcpy(&reference.offset, rawData.data(), 8);
  std::memcpy(&reference.sizeBytes, rawData.data() + 8, 8);
  return reference;
}

Status SkeletonWriter::writeLengthDelimited(Message message, uint32_t number, size_t keyBegin,
                                            size_t end, int depth) {
  const size_t keyEnd = position_;
  const std::optional<uint64_t> length = readVarint(end);
  if (!length) return malformed("a length is cut off");
  if (*length > end - position_) return malformed("a field is longer than what contains it");
  const size_t payloadEnd = position_ + static_cast<size_t>(*length);
  const FieldRule rule = ruleFor(message, number);
  switch (rule.action) {
    case Action::kDrop:
      position_ = payloadEnd;
      return {};
    case Action::kReference:
      TESSERA_TRY_VOID(charge(kFieldCost));
      copy(keyBegin, keyEnd);
      appendReference(output_, {.offset = position_, .sizeBytes = *length});
      position_ = payloadEnd;
      return {};
    case Action::kDescend: {
      if (depth >= kMaxDepth) return malformed("nested deeper than 64 levels");
      TESSERA_TRY_VOID(charge(kMessageCost));
      copy(keyBegin, keyEnd);
      const size_t lengthAt = output_.size();
      output_.append(kPaddedLengthBytes, '\0');
      TESSERA_TRY_VOID(writeMessage(rule.child, payloadEnd, depth + 1));
      uint64_t written = output_.size() - lengthAt - kPaddedLengthBytes;
      for (size_t i = 0; i < kPaddedLengthBytes; ++i, written >>= 7) {
        output_[lengthAt + i] =
            static_cast<char>((written & 0x7f) | (i + 1 < kPaddedLengthBytes ? 0x80 : 0));
      }
      return {};
    }
    case Action::kBytes:
      TESSERA_TRY_VOID(charge(kFieldCost));
      break;
    case Action::kVarints:
      TESSERA_TRY_VOID(charge(kFieldCost + kVarintFactor * *length));
      break;
    case Action::kOpaque:
      TESSERA_TRY_VOID(charge(kFieldCost + kOpaqueFactor * *length));
      break;
  }
  copy(keyBegin, payloadEnd);
  position_ = payloadEnd;
  return {};
}

Status SkeletonWriter::writeMessage(Message message, size_t end, int depth) {
  while (position_ < end) {
    const size_t keyBegin = position_;
    const std::optional<uint64_t> key = readVarint(end);
    if (!key || *key > UINT32_MAX || (*key >> 3) == 0) return malformed("no field starts");
    const auto number = static_cast<uint32_t>(*key >> 3);
    size_t fixedBytes = 0;
    switch (*key & 7) {
      case 0:
        if (!readVarint(end)) return malformed("an integer is cut off");
        break;
      case 1:
        fixedBytes = 8;
        break;
      case 2:
        TESSERA_TRY_VOID(writeLengthDelimited(message, number, keyBegin, end, depth));
        continue;
      case 5:
        fixedBytes = 4;
        break;
      default:
        return malformed("a field has an unknown wire type");
    }
    if (fixedBytes > end - position_) return malformed("a number is cut off");
    position_ += fixedBytes;
    TESSERA_TRY_VOID(charge(8));
    copy(keyBegin, position_);
  }
  return {};
}

Result<std::string> makeSkeleton(std::span<const std::byte> bytes, RootMessage root) {
  SkeletonWriter writer(bytes);
  const Message message = root == RootMessage::kModel ? Message::kModel : Message::kTensor;
  TESSERA_TRY_VOID(writer.writeMessage(message, bytes.size(), 0));
  std::string skeleton = writer.take();
  if (skeleton.size() > kMaxMessageBytes)
    return invalidInput("the message is larger than 2 GiB - 1");
  return skeleton;
}

}  // namespace tessera::onnx
