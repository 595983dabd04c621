// What normalisations over channels share.
#pragma once

#include "reference/arguments.h"

namespace tessera::reference {

/// Input 0 seen as [batch, channels, positions].
struct Channels {
  TensorView view;
  int64_t batch;
  int64_t channels;
  int64_t positions;
};
Result<Channels> parseChannels(const OpCall& call);

/// Input `index`, one value per channel.
Result<std::vector<double>> channelParameter(const OpCall& call, size_t index, int64_t channels);

struct Moments {
  double mean;
  double variance;
};

}  // namespace tessera::reference
