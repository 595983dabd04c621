// Writes the artifact reader's fuzz seeds: small artifacts that between them use every table of the
// format.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "artifact/bundle.h"
#include "artifact/writer.h"

using tessera::ElementType;
using tessera::artifact::Blob;
using tessera::artifact::Buffer;
using tessera::artifact::Bundle;
using tessera::artifact::CallInstruction;
using tessera::artifact::CopyInstruction;
using tessera::artifact::Implementation;
using tessera::artifact::kDynamic;
using tessera::artifact::Region;
using tessera::artifact::Storage;
using tessera::artifact::viewDimOf;
using tessera::artifact::ViewInstruction;

static Blob bytes(size_t count) {
  return Blob::owned(std::vector<std::byte>(count, std::byte{0x5A}));
}

static Buffer f32(std::vector<int64_t> dims, Storage storage, uint32_t index = 0,
                  uint64_t offset = 0) {
  int64_t sizeBytes = sizeof(float);
  for (const int64_t dim : dims)
    sizeBytes = dim == kDynamic || sizeBytes == kDynamic ? kDynamic : sizeBytes * dim;
  Buffer buffer;
  buffer.dims = std::move(dims);
  buffer.sizeBytes = sizeBytes;
  buffer.storage = storage;
  buffer.index = index;
  buffer.offset = offset;
  return buffer;
}

static Implementation implementation(const char* symbol) {
  Implementation result;
  result.target = "host -attribute=value";
  result.symbol = symbol;
  return result;
}

static Region region(const char* name, std::vector<Implementation> implementations) {
  Region result;
  result.name = name;
  result.implementations = std::move(implementations);
  return result;
}

static Bundle header() {
  Bundle bundle;
  bundle.producer = "tessera 0.1.0";
  bundle.modelName = "seed";
  bundle.target = "host";
  bundle.metadata = {{.key = "key", .value = "value"}};
  return bundle;
}

/// One region between an input and an output; a constant of less and one of more than a page.
static Bundle staticProgram() {
  Bundle bundle = header();
  bundle.inputs = {{.name = "x", .dimNames = {"batch", ""}, .buffer = 0}};
  bundle.outputs = {{.name = "y", .dimNames = {}, .buffer = 4}};
  bundle.buffers = {f32({2, 8}, Storage::kInput),       f32({16}, Storage::kConstant, 0),
                    f32({2048}, Storage::kConstant, 1), f32({2, 8}, Storage::kArena),
                    f32({2, 8}, Storage::kOutput),      f32({16}, Storage::kView, 3)};
  bundle.constants = {{.contentHash = "00112233445566778899aabbccddeeff", .data = bytes(64)},
                      {.contentHash = "", .data = bytes(8192)}};
  bundle.codeBlobs = {bytes(32)};
  Implementation fast = implementation("fast");
  fast.cpuFeatures = {"avx2"};
  fast.dimGuards = {{.input = 0, .dim = 0, .minimum = 1, .maximum = 4}};
  fast.workspaceBytes = 64;
  bundle.regions = {region("region", {fast, implementation("slow")})};
  bundle.regions[0].nodeNames = {"conv", "relu"};
  bundle.regions[0].opKinds = "conv+relu";
  bundle.program = {CallInstruction{.region = 0, .inputs = {0, 1, 2}, .outputs = {3}},
                    CopyInstruction{.source = 5, .destination = 4, .sizeBytes = 64}};
  bundle.memorySpaces[0] = {.name = "host", .arenaBytes = 64, .lowerBoundBytes = 64};
  return bundle;
}

/// Run-time shapes: views by dims and by a shape input, a buffer that is allocated when its
/// producer runs.
static Bundle dynamicProgram() {
  Bundle bundle = header();
  bundle.inputs = {{.name = "x", .dimNames = {"n", ""}, .buffer = 0},
                   {.name = "shape", .dimNames = {}, .buffer = 1}};
  bundle.outputs = {{.name = "y", .dimNames = {}, .buffer = 4}};
  Buffer shape = f32({2}, Storage::kInput);
  shape.elementType = ElementType::kI64;
  shape.sizeBytes = 2 * sizeof(int64_t);
  bundle.buffers = {
      f32({kDynamic, 4}, Storage::kInput), shape, f32({4, kDynamic}, Storage::kView, 0),
      f32({kDynamic, kDynamic}, Storage::kView, 0), f32({kDynamic}, Storage::kDynamic)};
  bundle.codeBlobs = {bytes(8)};
  bundle.regions = {region("flatten", {implementation("flatten")})};
  bundle.program = {ViewInstruction{.view = 2, .dims = {4, viewDimOf(0)}},
                    ViewInstruction{.view = 3, .dims = {}, .shapeBuffer = 1},
                    CallInstruction{.region = 0, .inputs = {2, 3}, .outputs = {4}}};
  return bundle;
}

/// Two memory spaces, events, a constant that the artifact only refers to, and what it needs of its
/// backend.
static Bundle deviceProgram() {
  Bundle bundle = header();
  bundle.numEvents = 2;
  bundle.memorySpaces.push_back(
      {.name = "device:0", .arenaBytes = 128, .targets = {"device", "host -fast=1"}});
  bundle.backends = {{.kind = "host", .leastVersion = "1.2", .leastAbi = 1}};
  bundle.inputs = {{.name = "x", .dimNames = {}, .buffer = 0}};
  bundle.outputs = {{.name = "y", .dimNames = {}, .buffer = 4}};
  bundle.buffers = {f32({16}, Storage::kInput),        f32({16}, Storage::kArena),
                    f32({16}, Storage::kArena, 0, 64), f32({16}, Storage::kConstant),
                    f32({16}, Storage::kOutput),       f32({16}, Storage::kArena)};
  bundle.memorySpaces[0].arenaBytes = 64;
  for (const size_t onDevice : {1, 2, 3}) bundle.buffers[onDevice].memorySpace = 1;
  bundle.constants = {
      {.contentHash = "00112233445566778899aabbccddeeff", .data = Blob::external(64)}};
  bundle.codeBlobs = {bytes(8)};
  bundle.regions = {region("add", {implementation("add")})};
  bundle.program = {
      CopyInstruction{.source = 0, .destination = 1, .signal = 0},
      CallInstruction{
          .region = 0, .inputs = {1, 3}, .outputs = {2}, .waits = {0}, .signal = 1, .workspace = 5},
      CopyInstruction{.source = 2, .destination = 4, .waits = {1}}};
  return bundle;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  std::error_code failure;
  std::filesystem::create_directories(argv[1], failure);
  const std::pair<const char*, Bundle> seeds[] = {{"empty.tsr", Bundle{}},
                                                  {"static.tsr", staticProgram()},
                                                  {"dynamic.tsr", dynamicProgram()},
                                                  {"device.tsr", deviceProgram()}};
  for (const auto& [name, bundle] : seeds) {
    if (const tessera::Status status =
            tessera::artifact::writeFile(bundle, std::string(argv[1]) + "/" + name);
        !status) {
      std::fprintf(stderr, "%s: %s\n", name, status.error().toString().c_str());
      return 1;
    }
  }
  return 0;
}
