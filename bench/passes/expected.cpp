#include "bench/passes/expected.h"

#include <span>

#include "tessera/tensor_compare.h"

namespace tessera::bench {

// [n, C, ...] of f32 from as many elements in blocks, [n, C / lanes, ..., lanes].
static Floats rowMajor(const float* data, const Type& type) {
  if (type.layout == Layout::kPlain) return {data, data + type.elements()};
  const int64_t lanes = lanesOfBlocks(), pixels = type.elements() / (type.shape[0] * type.shape[1]);
  Floats plain(static_cast<size_t>(type.elements()));
  for (int64_t at = 0; at < type.elements(); ++at) {
    const int64_t block = at / lanes / pixels, pixel = at / lanes % pixels;
    plain[static_cast<size_t>((block * lanes + at % lanes) * pixels + pixel)] = data[at];
  }
  return plain;
}

bool isRight(const Body& body, const Floats& input, CompiledModule& ours) {
  Module module = loadText(body.module(), "native");
  const Floats x = rowMajor(input.data(), body.input());
  const HostTensor tensor{.type = ElementType::kF32,
                          .shape = body.input().shape,
                          .bytes = std::as_bytes(std::span(x)),
                          .owner = {}};
  const std::vector<HostTensor> expected = orExit(module.interpret({&tensor, 1}));
  for (size_t i = 0; i < expected.size(); ++i) {
    const Type& type = body.result(i);
    const void* data = ours.data(static_cast<uint32_t>(i));
    const bool isFloat = type.element == "f32";
    const Floats floats = isFloat ? rowMajor(static_cast<const float*>(data), type) : Floats();
    HostTensor actual = expected[i];
    actual.bytes = isFloat ? std::as_bytes(std::span(floats))
                           : std::span(static_cast<const std::byte*>(data), actual.bytes.size());
    if (!compareTensors(actual, expected[i], {.relative = 1e-4}).isWithinScaled) return false;
  }
  return true;
}

}  // namespace tessera::bench
