#include "compiler/placement/timing/diagnosis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>

#include "compiler/placement/timing/summary.h"

namespace tessera::placement {

static constexpr size_t kLeastSamples = 12;
/// Of a normal distribution, beyond which once in a thousand times something lies.
static constexpr double kSurprise = 3.3;
static constexpr double kLeastDrift = 0.02;
static constexpr size_t kLeastSamplesOfModes = 20;
static constexpr double kLeastModeDistance = 0.05, kLeastModeShare = 0.1, kLeastSeparation = 5;
static constexpr double kOutliers = 0.05, kLeastGap = 0.5;
/// Between the tenth and the ninth tenth of the yardstick's times.
static constexpr double kYardstickSpread = 0.1;
static constexpr double kStolenShare = 0.01;
/// Threads that want a processor beside our own: one that polls now and then is no load.
static constexpr double kOthers = 0.5;

/// The place of each sample in the sorted order.
static std::vector<double> ranksOf(std::span<const double> samples) {
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return samples[i]; });
  std::vector<double> ranks(samples.size());
  for (size_t start = 0; start < order.size();) {
    size_t end = start;  // Equal samples have the mean of their places.
    while (end < order.size() && samples[order[end]] == samples[order[start]]) ++end;
    for (size_t i = start; i < end; ++i) ranks[order[i]] = static_cast<double>(start + end - 1) / 2;
    start = end;
  }
  return ranks;
}

/// Spearman's correlation of samples with their order.
static double correlationWithOrder(std::span<const double> samples) {
  const std::vector<double> ranks = ranksOf(samples);
  const double mean = static_cast<double>(samples.size() - 1) / 2;
  double product = 0, rankSquares = 0, orderSquares = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const double rank = ranks[i] - mean, place = static_cast<double>(i) - mean;
    product += rank * place;
    rankSquares += rank * rank;
    orderSquares += place * place;
  }
  return rankSquares == 0 ? 0 : product / std::sqrt(rankSquares * orderSquares);
}

std::optional<double> findDrift(std::span<const double> samples) {
  if (samples.size() < kLeastSamples) return {};
  const double surprise =
      correlationWithOrder(samples) * std::sqrt(static_cast<double>(samples.size() - 1));
  if (std::abs(surprise) < kSurprise) return {};
  const size_t third = samples.size() / 3;
  const double change = median(samples.last(third)) / median(samples.first(third)) - 1;
  if (std::abs(change) < kLeastDrift) return {};
  return change;
}

/// Where to cut sorted samples so that the squared distances from the means of both parts are least
/// (Otsu's threshold), with at least `least` samples on either side; and the spread that is left.
static std::pair<size_t, double> bestCut(const std::vector<double>& sorted, size_t least) {
  std::vector<double> sums(sorted.size() + 1, 0), squares(sorted.size() + 1, 0);
  const double origin = sorted.front();  // Small numbers lose no digits when they are squared.
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double value = sorted[i] - origin;
    sums[i + 1] = sums[i] + value;
    squares[i + 1] = squares[i] + value * value;
  }
  const auto distances = [&](size_t start, size_t end) {
    const double sum = sums[end] - sums[start];
    return squares[end] - squares[start] - sum * sum / static_cast<double>(end - start);
  };
  size_t best = least;
  double bestDistances = std::numeric_limits<double>::infinity();
  for (size_t cut = least; cut + least <= sorted.size(); ++cut) {
    const double total = distances(0, cut) + distances(cut, sorted.size());
    if (total < bestDistances) {
      bestDistances = total;
      best = cut;
    }
  }
  return {best, std::sqrt(std::max(bestDistances, 0.0) / static_cast<double>(sorted.size()))};
}

std::optional<Modes> findModes(std::span<const double> samples) {
  if (samples.size() < kLeastSamplesOfModes) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  sorted.resize(sorted.size() -
                static_cast<size_t>(static_cast<double>(sorted.size()) * kOutliers));
  const auto least =
      static_cast<size_t>(std::ceil(static_cast<double>(sorted.size()) * kLeastModeShare));
  const auto [cut, spread] = bestCut(sorted, least);
  const std::span<const double> fast = std::span(sorted).first(cut),
                                slow = std::span(sorted).subspan(cut);
  const Modes modes{
      .fast = median(fast),
      .slow = median(slow),
      .slowShare = 1 - static_cast<double>(cut) / static_cast<double>(samples.size())};
  const double distance = modes.slow - modes.fast;
  const double gap = quantile(slow, 0.1) - quantile(fast, 0.9);
  const bool areTwo = distance >= kLeastModeDistance * modes.fast &&
                      distance >= kLeastSeparation * spread && gap >= kLeastGap * distance;
  return areTwo ? std::optional(modes) : std::nullopt;
}

Load machineLoad(const std::string& root) {
  Load load;
  std::ifstream(root + "/proc/loadavg") >> load.runnable;
  std::ifstream file(root + "/proc/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line);
  std::string name;
  fields >> name;
  if (name != "cpu") return load;
  // user nice system idle iowait irq softirq steal; guests' time, behind them, is in user's.
  constexpr int kStolen = 7;
  uint64_t ticks = 0;
  for (int i = 0; i <= kStolen && fields >> ticks; ++i) {
    load.ticks += ticks;
    if (i == kStolen) load.stolenTicks = ticks;
  }
  return load;
}

template <typename... Values>
static std::string sentence(const char* format, Values... values) {
  std::array<char, 256> text = {};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::vector<std::string> diagnose(const Evidence& evidence) {
  std::vector<std::string> sentences;
  if (const std::optional<double> drift = findDrift(evidence.samples))
    sentences.push_back(sentence("the samples %s by %.0f %% from the first third to the last",
                                 *drift > 0 ? "rose" : "fell", std::abs(*drift) * 100));
  if (const std::optional<Modes> modes = findModes(evidence.samples))
    sentences.push_back(
        sentence("it has two speeds: %.3g ms, and %.3g ms in %.0f %% of the samples",
                 modes->fast * 1e3, modes->slow * 1e3, modes->slowShare * 100));
  if (evidence.yardsticks.size() >= kLeastSamples) {
    const double fast = quantile(evidence.yardsticks, 0.1);
    const double slow = quantile(evidence.yardsticks, 0.9);
    if (slow > fast * (1 + kYardstickSpread))
      sentences.push_back(
          sentence("the machine's speed changed: the same work took from %.3g to %.3g us",
                   fast * 1e6, slow * 1e6));
  }
  const double others = std::min(evidence.before.runnable, evidence.after.runnable) -
                        static_cast<double>(evidence.threads);
  if (others > kOthers)
    sentences.push_back(
        sentence("others use the machine: %.1f threads run beside our own", others));
  const double ticks =
      static_cast<double>(evidence.after.ticks) - static_cast<double>(evidence.before.ticks);
  const double stolen = static_cast<double>(evidence.after.stolenTicks) -
                        static_cast<double>(evidence.before.stolenTicks);
  if (ticks > 0 && stolen > kStolenShare * ticks)
    sentences.push_back(sentence("the hypervisor gave %.0f %% of the processors' time to others",
                                 stolen / ticks * 100));
  return sentences;
}

}  // namespace tessera::placement
