#include "artifact/artifact_generated.h"
#include "artifact/header_codec.h"

namespace tessera::artifact {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
template <typename T>
using TableVector = Offset<flatbuffers::Vector<Offset<T>>>;

/// Encodes every element and collects the offsets.
template <typename Table, typename Elements, typename Encode>
TableVector<Table> encodeAll(FlatBufferBuilder& builder, const Elements& elements,
                             const Encode& encode) {
  std::vector<Offset<Table>> offsets;
  offsets.reserve(elements.size());
  for (const auto& element : elements) offsets.push_back(encode(element));
  return builder.CreateVector(offsets);
}

auto encodeStrings(FlatBufferBuilder& builder, const std::vector<std::string>& strings) {
  return encodeAll<flatbuffers::String>(
      builder, strings, [&](const std::string& s) { return builder.CreateString(s); });
}

auto encodePorts(FlatBufferBuilder& builder, const std::vector<Port>& ports) {
  return encodeAll<schema::Port>(builder, ports, [&](const Port& port) {
    const auto name = builder.CreateString(port.name);
    const auto dimNames = encodeStrings(builder, port.dimNames);
    return schema::CreatePort(builder, name, dimNames, port.buffer);
  });
}

auto encodeBuffers(FlatBufferBuilder& builder, const std::vector<Buffer>& buffers) {
  return encodeAll<schema::Buffer>(builder, buffers, [&](const Buffer& buffer) {
    const auto dims = builder.CreateVector(buffer.dims);
    const auto layout = builder.CreateString(buffer.layout);
    return schema::CreateBuffer(builder, static_cast<uint8_t>(buffer.elementType), dims, layout,
                                buffer.sizeBytes, buffer.memorySpace,
                                static_cast<uint8_t>(buffer.storage), buffer.index, buffer.offset);
  });
}

auto encodeImplementations(FlatBufferBuilder& builder,
                           const std::vector<Implementation>& implementations) {
  return encodeAll<schema::Implementation>(
      builder, implementations, [&](const Implementation& implementation) {
        const auto backend = builder.CreateString(implementation.backend);
        const auto symbol = builder.CreateString(implementation.symbol);
        const auto features = encodeStrings(builder, implementation.cpuFeatures);
        const auto guards = encodeAll<schema::DimGuard>(
            builder, implementation.dimGuards, [&](const DimGuard& guard) {
              return schema::CreateDimGuard(builder, guard.input, guard.dim, guard.minimum,
                                            guard.maximum);
            });
        return schema::CreateImplementation(builder, backend, symbol, implementation.codeBlob,
                                            features, guards, implementation.workspaceBytes);
      });
}

auto encodeRegions(FlatBufferBuilder& builder, const std::vector<Region>& regions) {
  return encodeAll<schema::Region>(builder, regions, [&](const Region& region) {
    const auto name = builder.CreateString(region.name);
    const auto implementations = encodeImplementations(builder, region.implementations);
    const auto nodeNames = encodeStrings(builder, region.nodeNames);
    const auto opKinds = builder.CreateString(region.opKinds);
    return schema::CreateRegion(builder, name, implementations, nodeNames, opKinds, region.flops,
                                region.bytes);
  });
}

/// Encodes the alternatives of Instruction.
struct InstructionEncoder {
  FlatBufferBuilder& builder;

  Offset<schema::Instruction> operator()(const CallInstruction& call) const {
    const auto inputs = builder.CreateVector(call.inputs);
    const auto outputs = builder.CreateVector(call.outputs);
    const auto operation = schema::CreateCall(builder, call.region, inputs, outputs);
    return schema::CreateInstruction(builder, schema::Operation_Call, operation.Union());
  }
  Offset<schema::Instruction> operator()(const CopyInstruction& copy) const {
    const auto operation =
        schema::CreateCopy(builder, copy.source, copy.destination, copy.sourceOffset,
                           copy.destinationOffset, copy.sizeBytes);
    return schema::CreateInstruction(builder, schema::Operation_Copy, operation.Union());
  }
  Offset<schema::Instruction> operator()(const ViewInstruction& view) const {
    const auto dims = builder.CreateVector(view.dims);
    const auto operation = schema::CreateView(builder, view.view, dims, view.shapeBuffer);
    return schema::CreateInstruction(builder, schema::Operation_View, operation.Union());
  }
};

}  // namespace

std::vector<std::byte> encodeHeader(const Bundle& bundle, const BlobTable& table) {
  FlatBufferBuilder builder(size_t{1} << 16);
  const auto producer = builder.CreateString(bundle.producer);
  const auto modelName = builder.CreateString(bundle.modelName);
  const auto target = builder.CreateString(bundle.target);
  const auto features = encodeStrings(builder, bundle.requiredCpuFeatures);
  const auto inputs = encodePorts(builder, bundle.inputs);
  const auto outputs = encodePorts(builder, bundle.outputs);
  const auto buffers = encodeBuffers(builder, bundle.buffers);
  std::vector<Offset<schema::Constant>> constantOffsets;
  for (size_t i = 0; i < bundle.constants.size(); ++i) {
    const auto hash = builder.CreateString(bundle.constants[i].contentHash);
    constantOffsets.push_back(schema::CreateConstant(builder, hash, table.constantBlobs[i]));
  }
  const auto constants = builder.CreateVector(constantOffsets);
  const auto codeBlobs = builder.CreateVector(table.codeBlobs);
  const auto regions = encodeRegions(builder, bundle.regions);
  const auto program =
      encodeAll<schema::Instruction>(builder, bundle.program, [&](const Instruction& instruction) {
        return std::visit(InstructionEncoder{builder}, instruction);
      });
  const auto metadata =
      encodeAll<schema::Metadata>(builder, bundle.metadata, [&](const auto& entry) {
        const auto key = builder.CreateString(entry.first);
        const auto value = builder.CreateString(entry.second);
        return schema::CreateMetadata(builder, key, value);
      });
  std::vector<schema::StoredBlob> storedBlobs;
  storedBlobs.reserve(table.blobs.size());
  for (const StoredBlob& blob : table.blobs)
    storedBlobs.emplace_back(blob.offset, blob.sizeBytes, blob.checksum);
  const auto blobs = builder.CreateVectorOfStructs(storedBlobs);
  builder.Finish(schema::CreateHeader(
      builder, producer, modelName, target, features, bundle.defaultThreads, inputs, outputs,
      buffers, constants, codeBlobs, regions, program, bundle.plan.arenaBytes,
      bundle.plan.peakBytes, bundle.plan.lowerBoundBytes, metadata, blobs));
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {begin, begin + builder.GetSize()};
}

}  // namespace tessera::artifact
