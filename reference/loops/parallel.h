// Splitting independent work over the machine's cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace tessera::reference {

/// Calls work(i) for each i in [0, count), from several threads when the `multiplications` of all
/// of it are worth starting them. `work` must not touch what another index writes.
template <typename Work>
void parallelFor(int64_t count, int64_t multiplications, Work work) {
  constexpr int64_t kWorthAThread = 4'000'000;
  const int64_t cores = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  const int64_t threads = std::min({cores, count, multiplications / kWorthAThread});
  std::atomic<int64_t> next = 0;
  const auto loop = [&] {
    for (int64_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (int64_t t = 1; t < threads; ++t) others.emplace_back(loop);
  loop();
  for (std::thread& thread : others) thread.join();
}

}  // namespace tessera::reference
