// Records made up.
#pragma once

#include "compiler/costs/record.h"

namespace tessera::costs {

inline Record recordOf(const std::string& subgraph, std::vector<double> samples) {
  return {.key = {.subgraph = subgraph,
                  .target = "native -mcpu=x",
                  .version = "1",
                  .machine = "here",
                  .threads = 2},
          .samples = std::move(samples),
          .date = 1000,
          .tool = "0.1.0"};
}

}  // namespace tessera::costs
