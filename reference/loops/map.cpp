#include "reference/loops/map.h"

namespace tessera::reference {

OpResult mapElements(const OpCall& call, const TensorView& x, const UnaryLoop& loop,
                     const void* f) {
  if (!loop.run) return unsupportedType(call, x.type);
  TESSERA_TRY(Tensor y, makeTensor(call, loop.result, toShape(x.shape)));
  loop.run(f, x.data, y.data(), x.count());
  return outputs(std::move(y));
}

}  // namespace tessera::reference
