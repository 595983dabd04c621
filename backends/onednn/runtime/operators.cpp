#include "backends/onednn/runtime/operators.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "backends/onednn/runtime/eltwise.h"

namespace tessera::backend_onednn {

namespace {

using Build = Built (*)(Builder&, Group);

struct Entry {
  std::string_view name;
  Build build;
  bool fuses = false;
};

constexpr std::array kEntries = {
    Entry{"add", buildBinary, true},
    Entry{"average_pool", buildPool},
    Entry{"batch_norm", buildBatchNorm},
    Entry{"concat", buildConcat},
    Entry{"conv", buildConvolution, true},
    Entry{"conv_transpose", buildTransposedConvolution, true},
    Entry{"div", buildBinary, true},
    Entry{"flatten", buildReshaping},
    Entry{"gemm", buildProduct, true},
    Entry{"global_average_pool", buildPool},
    Entry{"global_max_pool", buildPool},
    Entry{"gru", buildRecurrent},
    Entry{"layer_norm", buildLayerNorm},
    Entry{"log_softmax", buildSoftmax},
    Entry{"lrn", buildLocalNorm},
    Entry{"lstm", buildRecurrent},
    Entry{"matmul", buildProduct, true},
    Entry{"max_pool", buildPool},
    Entry{"mul", buildBinary, true},
    Entry{"prelu", buildPrelu},
    Entry{"reduce_mean", buildReduction},
    Entry{"reduce_sum", buildReduction},
    Entry{"relayout", buildRelayout},
    Entry{"reshape", buildReshaping},
    Entry{"resize", buildResampling},
    Entry{"slice", buildSlice},
    Entry{"softmax", buildSoftmax},
    Entry{"squeeze", buildReshaping},
    Entry{"sub", buildBinary, true},
    Entry{"transpose", buildTranspose},
    Entry{"unsqueeze", buildReshaping},
};

const Entry* entryOf(std::string_view name) {
  const auto* const found = std::ranges::find(kEntries, name, &Entry::name);
  return found == kEntries.end() ? nullptr : &*found;
}

}  // namespace

Built buildFused(Builder& builder, Group group) {
  const Entry* entry = entryOf(group.front()->name);
  return entry != nullptr && entry->fuses ? entry->build(builder, group) : Built(false);
}

Built buildOperator(Builder& builder, Group alone) {
  if (const std::optional<Loop> loop = loopOf(*alone.front()))
    return buildLoop(builder, *alone.front(), *loop);
  if (eltwiseOf(*alone.front())) return buildEltwise(builder, alone);
  const Entry* entry = entryOf(alone.front()->name);
  if (entry == nullptr) return targetFailed("there is no kernel for " + alone.front()->name);
  return entry->build(builder, alone);
}

}  // namespace tessera::backend_onednn
