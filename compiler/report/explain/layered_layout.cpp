// Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical system structures
// (1981).
// Layers by longest path; an edge over several layers has a bend in each; the order in a layer by
// mean positions of neighbours; places by least squares under the order (pool adjacent violators).
#include "compiler/report/explain/layered_layout.h"

#include <algorithm>
#include <limits>

namespace tessera::report {

namespace {

class Drawing {
 public:
  Drawing(const std::vector<std::vector<size_t>>& reads, const LayoutOptions& options)
      : reads_(reads), options_(options) {}

  Layout run() {
    assignLayers();
    addBends();
    for (int sweep = 0; sweep < kSweeps; ++sweep) sortLayers(sweep % 2 == 0);
    placeInitially();
    for (int sweep = 0; sweep < kSweeps; ++sweep) placeLayers(sweep % 2 == 0);
    return result();
  }

 private:
  static constexpr int kSweeps = 12;

  /// A node, or a place where an edge passes a layer.
  struct Item {
    size_t layer = 0;
    bool isBend = false;
    double x = 0;
    std::vector<size_t> above = {}, below = {};
  };

  void assignLayers() {
    items_.resize(reads_.size());
    for (size_t node = 0; node < reads_.size(); ++node) {
      for (const size_t from : reads_[node])
        items_[node].layer = std::max(items_[node].layer, items_[from].layer + 1);
    }
    // What reads nothing stands right above its first reader.
    std::vector<size_t> first(reads_.size(), std::numeric_limits<size_t>::max());
    for (size_t node = 0; node < reads_.size(); ++node) {
      for (const size_t from : reads_[node])
        first[from] = std::min(first[from], items_[node].layer);
    }
    for (size_t node = 0; node < reads_.size(); ++node) {
      if (reads_[node].empty() && first[node] != std::numeric_limits<size_t>::max())
        items_[node].layer = first[node] - 1;
    }
  }

  void addBends() {
    bends_.resize(reads_.size());
    for (size_t node = 0; node < reads_.size(); ++node) {
      for (const size_t from : reads_[node]) {
        std::vector<size_t>& bends = bends_[node].emplace_back();
        size_t last = from;
        for (size_t layer = items_[from].layer + 1; layer < items_[node].layer; ++layer) {
          bends.push_back(items_.size());
          items_.push_back({.layer = layer, .isBend = true});
          join(last, bends.back());
          last = bends.back();
        }
        join(last, node);
      }
    }
    for (size_t item = 0; item < items_.size(); ++item) {
      layers_.resize(std::max(layers_.size(), items_[item].layer + 1));
      layers_[items_[item].layer].push_back(item);
    }
  }

  void join(size_t from, size_t to) {
    items_[from].below.push_back(to);
    items_[to].above.push_back(from);
  }

  const std::vector<size_t>& neighbours(size_t item, bool isDown) const {
    return isDown ? items_[item].above : items_[item].below;
  }

  template <typename Visit>
  void forEachLayer(bool isDown, Visit visit) {
    for (size_t i = 0; i < layers_.size(); ++i) visit(layers_[isDown ? i : layers_.size() - 1 - i]);
  }

  double meanOf(size_t item, bool isDown) const {
    const std::vector<size_t>& others = neighbours(item, isDown);
    if (others.empty()) return items_[item].x;
    double sum = 0;
    for (const size_t other : others) sum += items_[other].x;
    return sum / static_cast<double>(others.size());
  }

  /// Here `x` is the position in the layer.
  void sortLayers(bool isDown) {
    forEachLayer(isDown, [&](std::vector<size_t>& layer) {
      std::vector<std::pair<double, size_t>> keys;
      for (const size_t item : layer) keys.emplace_back(meanOf(item, isDown), item);
      std::ranges::stable_sort(keys, {}, &std::pair<double, size_t>::first);
      for (size_t i = 0; i < layer.size(); ++i) {
        layer[i] = keys[i].second;
        items_[layer[i]].x = static_cast<double>(i);
      }
    });
  }

  double distance(size_t left, size_t right) const {
    const auto half = [&](size_t item) {
      return items_[item].isBend ? options_.gap / 2 : options_.nodeWidth / 2;
    };
    return half(left) + half(right) + options_.gap;
  }

  void placeInitially() {
    for (const std::vector<size_t>& layer : layers_) {
      double x = 0;
      for (size_t i = 0; i < layer.size(); ++i) {
        if (i > 0) x += distance(layer[i - 1], layer[i]);
        items_[layer[i]].x = x;
      }
    }
  }

  /// Items that stand as close as they may, and where their first one would like to be.
  struct Pool {
    double sum = 0, weight = 0;
    size_t count = 0;
    double start() const { return sum / weight; }
  };

  void placeLayers(bool isDown) {
    forEachLayer(isDown, [&](std::vector<size_t>& layer) {
      std::vector<double> offsets(layer.size());
      std::vector<Pool> pools;
      for (size_t i = 0; i < layer.size(); ++i) {
        if (i > 0) offsets[i] = offsets[i - 1] + distance(layer[i - 1], layer[i]);
        const double weight = items_[layer[i]].isBend ? 4 : 1;
        pools.push_back({.sum = weight * (meanOf(layer[i], isDown) - offsets[i]),
                         .weight = weight,
                         .count = 1});
        while (pools.size() > 1 && pools[pools.size() - 2].start() >= pools.back().start()) {
          const Pool last = pools.back();
          pools.pop_back();
          pools.back().sum += last.sum;
          pools.back().weight += last.weight;
          pools.back().count += last.count;
        }
      }
      size_t i = 0;
      for (const Pool& pool : pools) {
        for (size_t end = i + pool.count; i < end; ++i)
          items_[layer[i]].x = pool.start() + offsets[i];
      }
    });
  }

  Layout result() const {
    double left = std::numeric_limits<double>::max(), right = 0;
    for (const Item& item : items_) left = std::min(left, item.x);
    for (const Item& item : items_) right = std::max(right, item.x - left);
    const double margin = options_.nodeWidth / 2 + options_.gap;
    const auto at = [&](size_t item) {
      return Point{.x = items_[item].x - left + margin,
                   .y = (static_cast<double>(items_[item].layer) + 0.5) * options_.layerHeight};
    };
    Layout layout{.nodes = {},
                  .edges = {},
                  .width = right + 2 * margin,
                  .height = static_cast<double>(layers_.size()) * options_.layerHeight};
    for (size_t node = 0; node < reads_.size(); ++node) {
      layout.nodes.push_back(at(node));
      auto& edges = layout.edges.emplace_back();
      for (size_t i = 0; i < reads_[node].size(); ++i) {
        std::vector<Point>& points = edges.emplace_back();
        points.push_back(at(reads_[node][i]));
        for (const size_t bend : bends_[node][i]) points.push_back(at(bend));
        points.push_back(at(node));
      }
    }
    return layout;
  }

  const std::vector<std::vector<size_t>>& reads_;
  const LayoutOptions options_;
  std::vector<Item> items_;                              ///< Nodes, then bends.
  std::vector<std::vector<std::vector<size_t>>> bends_;  ///< Of each node and what it reads.
  std::vector<std::vector<size_t>> layers_;              ///< From left to right.
};

}  // namespace

Layout layOut(const std::vector<std::vector<size_t>>& reads, const LayoutOptions& options) {
  return Drawing(reads, options).run();
}

}  // namespace tessera::report
