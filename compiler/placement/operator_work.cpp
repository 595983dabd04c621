#include "compiler/placement/operator_work.h"

#include <algorithm>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"

namespace tessera::placement {

using namespace mlir;

double flopsOf(Operation* op) {
  auto counted = dyn_cast<ir::TsrOpInterface>(op);
  return counted ? static_cast<double>(std::max<int64_t>(0, counted.getFlops())) : 0;
}

double bytesOf(TypeRange types) {
  double bytes = 0;
  for (const Type type : types) {
    if (const auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += static_cast<double>(std::max<int64_t>(0, ir::physicalSizeBytes(tensor)));
  }
  return bytes;
}

}  // namespace tessera::placement
