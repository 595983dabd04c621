// Where the nodes of a graph go on a page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::report {

struct Point {
  double x = 0, y = 0;
};

struct LayoutOptions {
  double nodeWidth = 150, layerHeight = 52, gap = 14;
};

struct Layout {
  std::vector<Point> nodes;                            ///< Middles.
  std::vector<std::vector<std::vector<Point>>> edges;  ///< Of each node and what it reads.
  double width = 0, height = 0;
};

/// Nodes in layers from top to bottom, each below what it reads, few crossings, edges as straight
/// as may be. `reads[n]` are numbers below n. O(edges * layers) at worst.
Layout layOut(const std::vector<std::vector<size_t>>& reads, const LayoutOptions& options = {});

}  // namespace tessera::report
