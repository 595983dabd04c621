// Decoding an untrusted header. FlatBuffers' Verifier makes every offset point inside the header,
// but lets many references share one table, so a small header could describe gigabytes: Budget
// bounds what decoding produces by what an honest header, which shares nothing, can hold.
#include <algorithm>

#include "artifact/artifact_generated.h"
#include "artifact/header_codec.h"

namespace tessera::artifact {
namespace {

/// Bytes of the header that decoding may still account for.
class Budget {
 public:
  explicit Budget(uint64_t bytes) : left_(bytes) {}
  bool take(uint64_t bytes) {
    if (bytes > left_) exceeded_ = true;
    left_ -= std::min(bytes, left_);
    return !exceeded_;
  }
  bool exceeded() const { return exceeded_; }

 private:
  uint64_t left_;
  bool exceeded_ = false;
};

/// One pass over the header; after an error or an exceeded budget the rest comes out empty and the
/// error stands.
class Decoder {
 public:
  explicit Decoder(uint64_t headerSize) : budget_(headerSize) {}

  std::string text(const flatbuffers::String* string) {
    if (string == nullptr || !budget_.take(string->size())) return {};
    return string->str();
  }

  template <typename T>
  std::vector<T> scalars(const flatbuffers::Vector<T>* vector) {
    if (vector == nullptr || !budget_.take(uint64_t{vector->size()} * sizeof(T))) return {};
    return {vector->begin(), vector->end()};
  }

  template <typename Table, typename Decode>
  auto tables(const flatbuffers::Vector<flatbuffers::Offset<Table>>* vector, const Decode& decode) {
    std::vector<decltype(decode(*vector->Get(0)))> out;
    if (vector == nullptr || !budget_.take(uint64_t{vector->size()} * sizeof(uint32_t))) return out;
    out.reserve(vector->size());
    for (const Table* table : *vector) {
      if (budget_.exceeded()) break;
      out.push_back(decode(*table));
    }
    return out;
  }

  std::vector<std::string> texts(
      const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* vector) {
    return tables(vector, [&](const flatbuffers::String& string) { return text(&string); });
  }

  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  Status status() const {
    if (budget_.exceeded())
      return invalidInput("artifact header refers to the same data many times");
    if (!error_.empty()) return invalidInput(error_);
    return {};
  }

 private:
  Budget budget_;
  std::string error_;
};

Port decodePort(Decoder& decoder, const schema::Port& port) {
  return {.name = decoder.text(port.name()),
          .dimNames = decoder.texts(port.dim_names()),
          .buffer = port.buffer()};
}

Buffer decodeBuffer(Decoder& decoder, const schema::Buffer& buffer) {
  if (buffer.storage() > static_cast<uint8_t>(Storage::kView)) {
    decoder.fail("a buffer of the artifact has unknown storage kind " +
                 std::to_string(buffer.storage()));
  }
  return {.elementType = static_cast<ElementType>(buffer.element_type()),
          .dims = decoder.scalars(buffer.dims()),
          .layout = decoder.text(buffer.layout()),
          .sizeBytes = buffer.size_bytes(),
          .memorySpace = buffer.memory_space(),
          .storage = static_cast<Storage>(buffer.storage()),
          .index = buffer.index(),
          .offset = buffer.offset()};
}

Implementation decodeImplementation(Decoder& decoder,
                                    const schema::Implementation& implementation) {
  return {.backend = decoder.text(implementation.backend()),
          .symbol = decoder.text(implementation.symbol()),
          .codeBlob = implementation.code_blob(),
          .cpuFeatures = decoder.texts(implementation.cpu_features()),
          .dimGuards = decoder.tables(implementation.dim_guards(),
                                      [](const schema::DimGuard& guard) {
                                        return DimGuard{.input = guard.input(),
                                                        .dim = guard.dim(),
                                                        .minimum = guard.minimum(),
                                                        .maximum = guard.maximum()};
                                      }),
          .workspaceBytes = implementation.workspace_bytes()};
}

Region decodeRegion(Decoder& decoder, const schema::Region& region) {
  return {.name = decoder.text(region.name()),
          .implementations = decoder.tables(region.implementations(),
                                            [&](const schema::Implementation& implementation) {
                                              return decodeImplementation(decoder, implementation);
                                            }),
          .nodeNames = decoder.texts(region.node_names()),
          .opKinds = decoder.text(region.op_kinds()),
          .flops = region.flops(),
          .bytes = region.bytes()};
}

Instruction decodeInstruction(Decoder& decoder, const schema::Instruction& instruction) {
  if (const schema::Call* call = instruction.operation_as_Call()) {
    return CallInstruction{.region = call->region(),
                           .inputs = decoder.scalars(call->inputs()),
                           .outputs = decoder.scalars(call->outputs())};
  }
  if (const schema::Copy* copy = instruction.operation_as_Copy()) {
    return CopyInstruction{.source = copy->source(),
                           .destination = copy->destination(),
                           .sourceOffset = copy->source_offset(),
                           .destinationOffset = copy->destination_offset(),
                           .sizeBytes = copy->size_bytes()};
  }
  if (const schema::View* view = instruction.operation_as_View()) {
    return ViewInstruction{.view = view->view(),
                           .dims = decoder.scalars(view->dims()),
                           .shapeBuffer = view->shape_buffer()};
  }
  decoder.fail("the artifact's program has an instruction of unknown kind " +
               std::to_string(instruction.operation_type()));
  return CopyInstruction{};
}

/// Blobs must be aligned, inside the blob part of the file and disjoint.
Status checkBlobs(const std::vector<StoredBlob>& blobs, uint64_t blobsEnd) {
  std::vector<const StoredBlob*> byOffset;
  for (size_t i = 0; i < blobs.size(); ++i) {
    const StoredBlob& blob = blobs[i];
    if (blob.offset < sizeof(Preamble) || blob.offset > blobsEnd ||
        blob.sizeBytes > blobsEnd - blob.offset) {
      return invalidInput("blob " + std::to_string(i) + " lies outside the artifact: offset " +
                          std::to_string(blob.offset) + ", size " + std::to_string(blob.sizeBytes) +
                          ", blobs end at " + std::to_string(blobsEnd));
    }
    if (blob.offset % blobAlignment(blob.sizeBytes) != 0) {
      return invalidInput("blob " + std::to_string(i) + " at offset " +
                          std::to_string(blob.offset) + " is not aligned to " +
                          std::to_string(blobAlignment(blob.sizeBytes)));
    }
    if (blob.sizeBytes > 0) byOffset.push_back(&blob);
  }
  std::ranges::sort(byOffset, {}, [](const StoredBlob* blob) { return blob->offset; });
  for (size_t i = 1; i < byOffset.size(); ++i) {
    if (byOffset[i - 1]->offset + byOffset[i - 1]->sizeBytes > byOffset[i]->offset) {
      return invalidInput("two blobs of the artifact overlap at offset " +
                          std::to_string(byOffset[i]->offset));
    }
  }
  return {};
}

/// The bytes of blob `index`, as a borrowed Blob.
Result<Blob> borrow(std::span<const std::byte> file, const std::vector<StoredBlob>& blobs,
                    uint32_t index) {
  if (index >= blobs.size()) {
    return invalidInput("the artifact refers to blob " + std::to_string(index) + " of " +
                        std::to_string(blobs.size()));
  }
  return Blob::borrowed(file.subspan(blobs[index].offset, blobs[index].sizeBytes));
}

Status decodeBlobs(const schema::Header& header, std::span<const std::byte> file, uint64_t blobsEnd,
                   Decoder& decoder, DecodedHeader& out) {
  if (header.blobs() != nullptr) {
    for (const schema::StoredBlob* blob : *header.blobs()) {
      out.blobs.push_back(
          {.offset = blob->offset(), .sizeBytes = blob->size(), .checksum = blob->checksum()});
    }
  }
  TESSERA_TRY_VOID(checkBlobs(out.blobs, blobsEnd));
  struct StoredConstant {
    std::string contentHash;
    uint32_t blob;
  };
  const std::vector<StoredConstant> constants =
      decoder.tables(header.constants(), [&](const schema::Constant& constant) {
        return StoredConstant{.contentHash = decoder.text(constant.content_hash()),
                              .blob = constant.blob()};
      });
  for (const StoredConstant& constant : constants) {
    TESSERA_TRY(Blob data, borrow(file, out.blobs, constant.blob));
    out.bundle.constants.push_back({.contentHash = constant.contentHash, .data = std::move(data)});
  }
  for (const uint32_t index : decoder.scalars(header.code_blobs())) {
    TESSERA_TRY(Blob data, borrow(file, out.blobs, index));
    out.bundle.codeBlobs.push_back(std::move(data));
  }
  return {};
}

}  // namespace

Result<DecodedHeader> decodeHeader(std::span<const std::byte> header,
                                   std::span<const std::byte> file, uint64_t blobsEnd) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(header.data());
  flatbuffers::Verifier verifier(
      bytes, header.size(), /*max_depth=*/16,
      /*max_tables=*/static_cast<flatbuffers::uoffset_t>(header.size() / 4));
  if (!schema::VerifyHeaderBuffer(verifier)) return invalidInput("artifact header is damaged");
  const schema::Header& root = *schema::GetHeader(bytes);

  Decoder decoder(header.size());
  DecodedHeader out;
  Bundle& bundle = out.bundle;
  bundle.producer = decoder.text(root.producer());
  bundle.modelName = decoder.text(root.model_name());
  bundle.target = decoder.text(root.target());
  bundle.requiredCpuFeatures = decoder.texts(root.required_cpu_features());
  bundle.defaultThreads = root.default_threads();
  const auto port = [&](const schema::Port& table) { return decodePort(decoder, table); };
  bundle.inputs = decoder.tables(root.inputs(), port);
  bundle.outputs = decoder.tables(root.outputs(), port);
  bundle.buffers = decoder.tables(
      root.buffers(), [&](const schema::Buffer& table) { return decodeBuffer(decoder, table); });
  TESSERA_TRY_VOID(decodeBlobs(root, file, blobsEnd, decoder, out));
  bundle.regions = decoder.tables(
      root.regions(), [&](const schema::Region& table) { return decodeRegion(decoder, table); });
  bundle.program = decoder.tables(root.program(), [&](const schema::Instruction& table) {
    return decodeInstruction(decoder, table);
  });
  bundle.plan = {.arenaBytes = root.arena_bytes(),
                 .peakBytes = root.peak_bytes(),
                 .lowerBoundBytes = root.lower_bound_bytes()};
  const auto metadata = decoder.tables(root.metadata(), [&](const schema::Metadata& table) {
    return std::pair<std::string, std::string>(decoder.text(table.key()),
                                               decoder.text(table.value()));
  });
  for (const auto& [key, value] : metadata) bundle.metadata.emplace(key, value);
  TESSERA_TRY_VOID(decoder.status());
  return out;
}

}  // namespace tessera::artifact
