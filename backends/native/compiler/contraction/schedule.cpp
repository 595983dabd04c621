#include "backends/native/compiler/contraction/schedule.h"

#include "backends/native/compiler/contraction/attention_region.h"
#include "compiler/lowering/contraction/tile.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::OuterLoop;

/// Tiles and iterations that are written out make code of their size.
static constexpr int64_t kMostRows = 32, kMostPanels = 8, kMostUnroll = 32;
static constexpr int64_t kMostReduce = int64_t{1} << 40, kMostSplit = 64;
static_assert(kMostRows == 32 && kMostPanels == 8 && kMostUnroll == 32 && kMostSplit == 64,
              "kScheduleGrammar says so");
/// Steps of a reduction that may be worth going through in blocks.
static constexpr int64_t kLongReduction = 1024;

std::string Schedule::text() const {
  std::vector<std::string> parts;
  if (tuning.rows > 0)
    parts.push_back("tile=" + std::to_string(tuning.rows) + "x" + std::to_string(tuning.panels));
  if (tuning.unroll > 0) parts.push_back("unroll=" + std::to_string(tuning.unroll));
  if (tuning.outer != OuterLoop::kDefault)
    parts.push_back(tuning.outer == OuterLoop::kPanels ? "outer=panels" : "outer=rows");
  if (tuning.reduce > 0) parts.push_back("reduce=" + std::to_string(tuning.reduce));
  if (tuning.split > 0) parts.push_back("split=" + std::to_string(tuning.split));
  if (isWinograd) parts.push_back(*isWinograd ? "algorithm=winograd" : "algorithm=direct");
  return llvm::join(parts, " ");
}

/// A whole number of [1, most].
static std::optional<int64_t> parseNumber(StringRef text, int64_t most) {
  int64_t number = 0;
  if (text.getAsInteger(10, number) || number < 1 || number > most) return std::nullopt;
  return number;
}

static bool parsePart(StringRef name, StringRef value, Schedule& schedule) {
  lowering::ContractionTuning& tuning = schedule.tuning;
  if (name == "tile" && tuning.rows == 0) {
    const auto [rows, panels] = value.split('x');
    tuning.rows = parseNumber(rows, kMostRows).value_or(0);
    tuning.panels = parseNumber(panels, kMostPanels).value_or(0);
    return tuning.rows > 0 && tuning.panels > 0;
  }
  if (name == "unroll" && tuning.unroll == 0) {
    tuning.unroll = parseNumber(value, kMostUnroll).value_or(0);
    return tuning.unroll > 0;
  }
  if (name == "outer" && tuning.outer == OuterLoop::kDefault) {
    if (value == "panels") tuning.outer = OuterLoop::kPanels;
    if (value == "rows") tuning.outer = OuterLoop::kRows;
    return tuning.outer != OuterLoop::kDefault;
  }
  if (name == "reduce" && tuning.reduce == 0) {
    tuning.reduce = parseNumber(value, kMostReduce).value_or(0);
    return tuning.reduce > 0;
  }
  if (name == "split" && tuning.split == 0) {
    tuning.split = parseNumber(value, kMostSplit).value_or(0);
    return tuning.split > 0;
  }
  if (name == "algorithm" && !schedule.isWinograd) {
    if (value == "winograd" || value == "direct") schedule.isWinograd = value == "winograd";
    return schedule.isWinograd.has_value();
  }
  return false;
}

std::optional<Schedule> parseSchedule(StringRef text) {
  Schedule schedule;
  SmallVector<StringRef> parts;
  text.split(parts, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (const StringRef part : parts) {
    const auto [name, value] = part.split('=');
    if (!parsePart(name, value, schedule)) return std::nullopt;
  }
  return schedule;
}

Schedule scheduleOf(func::FuncOp region) {
  const auto text = region->getAttrOfType<StringAttr>(backend_api::kScheduleAttribute);
  return text ? parseSchedule(text).value_or(Schedule{}) : Schedule{};
}

static bool mayBeWinograd(const ConvPlan& conv, const CodeTarget& cpu) {
  return conv.kind == lowering::ConvKind::kBlocked && mayBeWinograd(conv.shape, cpu);
}

void applySchedule(const Schedule& schedule, const CodeTarget& cpu, RegionPlan& plan) {
  plan.tuning = schedule.tuning;
  if (auto* conv = std::get_if<ConvPlan>(&plan.contraction.kernel);
      conv && schedule.isWinograd && mayBeWinograd(*conv, cpu) && !plan.region.pool)
    conv->isWinograd = *schedule.isWinograd;
}

// ---- what is worth trying

static std::string sizeText(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

static std::string sizesText(ArrayRef<int64_t> sizes) {
  return llvm::join(llvm::map_range(sizes, sizeText), "x");
}

static std::string classOf(const ConvPlan& conv) {
  const lowering::ConvShape& s = conv.shape;
  std::string text = s.isTransposed ? "conv_transpose" : "conv";
  const auto add = [&](StringRef name, ArrayRef<int64_t> sizes) {
    text += (" " + name + " " + sizesText(sizes)).str();
  };
  add("images", {s.batch});
  add("channels", {s.inChannels, s.outChannels});
  if (s.groups > 1) add("groups", {s.groups});
  add("of", {s.inDepth, s.inHeight, s.inWidth});
  add("window", {s.kernelDepth, s.kernelHeight, s.kernelWidth});
  add("stride", {s.strideDepth, s.strideHeight, s.strideWidth});
  if (s.dilationDepth * s.dilationHeight * s.dilationWidth > 1)
    add("dilation", {s.dilationDepth, s.dilationHeight, s.dilationWidth});
  add("pad", {s.padFront, s.padTop, s.padLeft, s.padBack, s.padBottom, s.padRight});
  for (const lowering::ConvAxis& axis : s.outer)
    add("further", {axis.in, axis.out, axis.kernel, axis.stride, axis.dilation, axis.padBegin});
  if (conv.kind == lowering::ConvKind::kPlainInput) text += " row-major";
  if (conv.kind == lowering::ConvKind::kRowMajor) text += " row-major throughout";
  return text;
}

static std::string classOf(const AttentionPlan& attention) {
  const lowering::AttentionShape s = attentionShape(attention);
  const ArrayRef<int64_t> scores = attention.scoresType().getShape();
  std::string text = "attention " + sizesText({s.queries, s.keys, s.depth, s.columns});
  if (scores.size() > 2) text += " batch " + sizesText(scores.drop_back(2));
  return text;
}

static std::string classOf(const ProductPlan& product) {
  const lowering::MatmulShape& s = product.shape;
  std::string text = "product " + sizesText({s.m, s.k, s.n});
  if (!s.aBatch.empty()) text += " batch " + sizesText(s.aBatch) + " by " + sizesText(s.bBatch);
  if (s.transA) text += " transA";
  if (s.transB) text += " transB";
  if (s.isBPacked) text += " packed";
  return text;
}

namespace {

using Tiles = ArrayRef<lowering::TileShape>;

/// More shapes than the cost models compare: they know nothing of caches.
/// NOLINTBEGIN(modernize-use-designated-initializers): rows, panels.
constexpr lowering::TileShape kTilesOf32Registers[] = {{14, 2}, {12, 2}, {8, 3},  {9, 3},
                                                       {6, 4},  {7, 4},  {28, 1}, {8, 2}};
constexpr lowering::TileShape kTilesOf16Registers[] = {{4, 3}, {6, 2}, {5, 2}, {12, 1}, {8, 1}};
/// Pixels of windows over each channel by itself.
constexpr lowering::TileShape kTilesOfWindows[] = {{4, 1}, {6, 1},  {7, 1},
                                                   {9, 1}, {12, 1}, {14, 1}};
/// Channels and vectors of positions.
constexpr lowering::TileShape kRowTilesOf32Registers[] = {{1, 8}, {2, 8}, {3, 7},
                                                          {4, 6}, {6, 4}, {9, 2}};
constexpr lowering::TileShape kRowTilesOf16Registers[] = {{1, 6}, {2, 4}, {3, 3},
                                                          {4, 2}, {6, 1}, {12, 1}};
/// NOLINTEND(modernize-use-designated-initializers)

bool hasManyRegisters(const CodeTarget& cpu) { return cpu.numVectorRegisters >= 32; }

Tiles tilesOf(const CodeTarget& cpu) {
  return hasManyRegisters(cpu) ? Tiles(kTilesOf32Registers) : Tiles(kTilesOf16Registers);
}

Tiles rowTilesOf(const CodeTarget& cpu) {
  return hasManyRegisters(cpu) ? Tiles(kRowTilesOf32Registers) : Tiles(kRowTilesOf16Registers);
}

/// Changes the emitter's choice in one thing at a time.
class Choices {
 public:
  void add(const Schedule& schedule) { texts_.push_back(schedule.text()); }
  void addTiles(Tiles tiles, const Schedule& base = {}) {
    for (const lowering::TileShape tile : tiles) {
      Schedule schedule = base;
      schedule.tuning.rows = tile.rows;
      schedule.tuning.panels = tile.panels;
      add(schedule);
    }
  }
  void addUnrolls() {
    for (const int64_t unroll : {1, 2, 8, 16}) add({.tuning = {.unroll = unroll}});
  }
  void addLoops() {
    for (const OuterLoop outer : {OuterLoop::kPanels, OuterLoop::kRows})
      add({.tuning = {.outer = outer}});
  }
  /// Of results of few elements and long reductions.
  void addReductions(const lowering::MatmulShape& shape) {
    constexpr int64_t kFewElements = 16 * 1024;
    if (ShapedType::isDynamic(shape.m) || shape.k < kLongReduction) return;
    for (const int64_t reduce : {kLongReduction, 2 * kLongReduction, 4 * kLongReduction})
      if (reduce < shape.k) add({.tuning = {.reduce = reduce}});
    add({.tuning = {.reduce = shape.k}});  // No blocks.
    if (shape.m * shape.n > kFewElements) return;
    for (const int64_t split : {1, 2, 4, 8}) add({.tuning = {.split = split}});
  }
  /// Of convolutions, `steps` long.
  void addReductions(int64_t steps) {
    if (steps < kLongReduction) return;
    for (const int64_t blocks : {4, 2, 1})
      add({.tuning = {.reduce = static_cast<int64_t>(llvm::divideCeil(steps, blocks))}});
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

}  // namespace

static std::optional<backend_api::Schedules> schedulesOf(const AttentionPlan& attention,
                                                         const CodeTarget& cpu) {
  Choices choices;
  choices.addTiles(tilesOf(cpu));
  const int64_t all = attentionShape(attention).keys;
  for (const int64_t keys : {64, 128, 256, 512}) {
    if (ShapedType::isDynamic(all) || keys < all) choices.add({.tuning = {.reduce = keys}});
  }
  return backend_api::Schedules{.shapeClass = classOf(attention), .choices = choices.take()};
}

static bool isOfWindows(lowering::ConvKind kind) {
  return kind == lowering::ConvKind::kDepthwise || kind == lowering::ConvKind::kShuffled;
}

/// Of a kind that has nothing else to choose: those that the convolution fills.
static SmallVector<lowering::TileShape> onlyTilesOf(const ConvPlan& conv, const CodeTarget& cpu) {
  const lowering::ConvShape& s = conv.shape;
  const bool areWindows = isOfWindows(conv.kind);
  const int64_t most = areWindows ? s.outWidth() : s.outChannels / s.groups;
  SmallVector<lowering::TileShape> tiles;
  for (const lowering::TileShape tile : areWindows ? Tiles(kTilesOfWindows) : rowTilesOf(cpu)) {
    if (tile.rows <= most) tiles.push_back(tile);
  }
  return tiles;
}

std::optional<backend_api::Schedules> schedulesOf(func::FuncOp region, const CodeTarget& cpu) {
  const Operation* product = findProduct(region);
  if (!product) return std::nullopt;
  if (Block* body = attentionBody(region)) {
    const auto planned = planAttention(*body);
    const auto* attention = std::get_if<AttentionPlan>(&planned);
    return attention ? schedulesOf(*attention, cpu) : std::nullopt;
  }
  auto planned = planRegion(region, cpu, Schedule{});
  const auto* plan = std::get_if<RegionPlan>(&planned);
  if (!plan) return std::nullopt;
  Choices choices;
  if (const auto* made = std::get_if<ProductPlan>(&plan->contraction.kernel)) {
    choices.addTiles(tilesOf(cpu));
    choices.addUnrolls();
    choices.addLoops();
    choices.addReductions(made->shape);
    return backend_api::Schedules{.shapeClass = classOf(*made), .choices = choices.take()};
  }
  const auto* conv = std::get_if<ConvPlan>(&plan->contraction.kernel);
  if (!conv) return std::nullopt;
  if (isOfWindows(conv->kind) || conv->kind == lowering::ConvKind::kRowMajor) {
    choices.addTiles(onlyTilesOf(*conv, cpu));
    return backend_api::Schedules{.shapeClass = classOf(*conv), .choices = choices.take()};
  }
  // A pool takes the algorithm that has its windows in squares.
  if (mayBeWinograd(*conv, cpu) && !plan->region.pool) {
    choices.add({.isWinograd = !conv->isWinograd});
    choices.addTiles(tilesOf(cpu), {.isWinograd = false});
  } else if (!conv->isWinograd) {
    choices.addTiles(tilesOf(cpu));
  }
  if (conv->kind != lowering::ConvKind::kPlainInput && !conv->isWinograd) choices.addUnrolls();
  if (!plan->region.hasHead()) choices.addLoops();
  if (!conv->isWinograd && !plan->region.hasHead())
    choices.addReductions(lowering::blockableReduction(conv->shape, conv->kind, cpu));
  std::string shapeClass = classOf(*conv);
  if (plan->region.hasHead()) shapeClass += " behind elementwise operators";
  if (plan->region.pool) shapeClass += " in front of a pool";
  return backend_api::Schedules{.shapeClass = std::move(shapeClass), .choices = choices.take()};
}

}  // namespace tessera::backend_native
