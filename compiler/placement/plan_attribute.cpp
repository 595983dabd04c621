#include "compiler/placement/plan_attribute.h"

namespace tessera::placement {

using namespace mlir;

ArrayAttr toAttribute(MLIRContext* context, ArrayRef<Tile> tiles) {
  Builder builder(context);
  SmallVector<Attribute> entries;
  for (const Tile& tile : tiles) {
    const SmallVector<int32_t> nodes(tile.nodes.begin(), tile.nodes.end());
    SmallVector<NamedAttribute> fields = {
        builder.getNamedAttr("nodes", builder.getDenseI32ArrayAttr(nodes)),
        builder.getNamedAttr("target", tile.target)};
    if (!tile.reads.empty())
      fields.push_back(builder.getNamedAttr("reads", builder.getTypeArrayAttr(tile.reads)));
    if (tile.choice > 0)
      fields.push_back(builder.getNamedAttr("choice", builder.getI32IntegerAttr(tile.choice)));
    entries.push_back(builder.getDictionaryAttr(fields));
  }
  return builder.getArrayAttr(entries);
}

static Result<Tile> tileOf(Attribute attribute) {
  const auto entry = dyn_cast<DictionaryAttr>(attribute);
  const auto nodes = entry ? entry.getAs<DenseI32ArrayAttr>("nodes") : DenseI32ArrayAttr();
  const auto target = entry ? entry.getAs<ir::TargetAttr>("target") : ir::TargetAttr();
  if (!nodes || nodes.empty() || !target)
    return invalidInput("found a tile of the plan without nodes or target");
  Tile tile{.nodes = {}, .target = target, .reads = {}};
  for (const int32_t node : nodes.asArrayRef()) {
    if (node < 0 || (!tile.nodes.empty() && tile.nodes.back() >= static_cast<uint32_t>(node)))
      return invalidInput("found a tile of the plan whose nodes are not sorted");
    tile.nodes.push_back(static_cast<uint32_t>(node));
  }
  if (const auto reads = entry.getAs<ArrayAttr>("reads")) {
    for (const Attribute each : reads) {
      const auto type = dyn_cast<TypeAttr>(each);
      if (!type) return invalidInput("found a tile of the plan that reads what is no type");
      tile.reads.push_back(type.getValue());
    }
  }
  if (const auto choice = entry.getAs<IntegerAttr>("choice")) {
    if (choice.getValue().uge(kMaxLayouts))
      return invalidInput("found a tile of the plan whose choice of layouts is no small number");
    tile.choice = static_cast<uint32_t>(choice.getValue().getZExtValue());
  }
  return tile;
}

std::vector<Tile> tilesOf(ArrayRef<PlannedTile> planned) {
  std::vector<Tile> tiles;
  for (const PlannedTile& each : planned) tiles.push_back(each.tile);
  return tiles;
}

Result<std::vector<Tile>> tilesOf(Attribute plan) {
  const auto entries = dyn_cast_or_null<ArrayAttr>(plan);
  if (!entries) return invalidInput("the module's plan is no list of tiles");
  std::vector<Tile> tiles;
  for (const Attribute entry : entries) {
    TESSERA_TRY(Tile tile, tileOf(entry));
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

}  // namespace tessera::placement
