#include "compiler/placement/tile.h"

#include "base/content_hash.h"
#include "compiler/backend_api/registry.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/pins.h"
#include "compiler/placement/plan_attribute.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::placement {

using namespace mlir;

namespace {

/// Copies the operators of a tile into an entry function.
class Extraction {
 public:
  Extraction(const OperatorGraph& graph, const Tile& tile, bool hasNumbers)
      : graph_(graph),
        tile_(tile),
        hasNumbers_(hasNumbers),
        nodes_(tile.nodes.begin(), tile.nodes.end()) {}

  ExtractedTile run() {
    collectBorders();
    auto source = cast<ModuleOp>(graph_.entry()->getParentOp());
    OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
    (*module)->setAttrs(source->getAttrDictionary());
    (*module)->removeAttr(kPlanAttribute);
    (*module)->removeAttr(ir::kWithFallbackAttribute);
    (*module)->removeAttr(partition::kPinsAttribute);  // Operators have what they say.
    (*module)->removeAttr(SymbolTable::getSymbolAttrName());
    setTargets(*module, source);
    builder_.setInsertionPointToStart(module->getBody());
    func::FuncOp entry = makeEntry();
    builder_.setInsertionPointToEnd(entry.addEntryBlock());
    for (auto [input, argument] : llvm::zip_equal(inputs_, entry.getArguments()))
      mapping_[input] = argument;
    copyFrom(graph_.entry().getBody().front());
    SmallVector<Value> returned;
    for (const Value output : outputs_) returned.push_back(mapping_.lookup(output));
    builder_.create<func::ReturnOp>(entry.getLoc(), returned);
    return {.module = std::move(module),
            .inputs = inputs_.takeVector(),
            .outputs = std::move(outputs_)};
  }

 private:
  void collectBorders() {
    for (const uint32_t node : tile_.nodes) {
      for (const Value value : graph_.reads(node)) {
        if (!nodes_.contains(graph_.producerOf(value))) inputs_.insert(value);
      }
      for (const Value result : graph_.operation(node)->getResults()) {
        const auto isOutside = [&](uint32_t reader) { return !nodes_.contains(reader); };
        if (graph_.isReturned(result) || llvm::any_of(graph_.readersOf(result), isOutside))
          outputs_.push_back(result);
      }
    }
  }

  /// The tile's own in front: it is preferred.
  void setTargets(ModuleOp module, ModuleOp source) const {
    const Result<backend_api::Owners> owners = backend_api::ownersOf(source);
    if (!owners) return;  // Whoever runs passes on the module hears of it.
    backend_api::Owners own;
    const backend_api::Owner* owner = backend_api::findOwner(*owners, tile_.target);
    const backend_api::Owner* host = backend_api::hostOf(*owners);
    if (owner) own.push_back(*owner);
    if (host && host != owner) own.push_back(*host);
    backend_api::setTargets(module, own);
  }

  func::FuncOp makeEntry() {
    SmallVector<Type> arguments, results;
    for (const Value input : inputs_) arguments.push_back(input.getType());
    for (const Value output : outputs_) results.push_back(output.getType());
    auto entry = builder_.create<func::FuncOp>(graph_.entry().getLoc(), ir::kEntryFunction,
                                               builder_.getFunctionType(arguments, results));
    for (size_t i = 0; i < inputs_.size(); ++i)
      entry.setArgAttr(i, ir::kValueNameAttribute,
                       builder_.getStringAttr("input" + std::to_string(i)));
    for (size_t i = 0; i < outputs_.size(); ++i)
      entry.setResultAttr(i, ir::kValueNameAttribute,
                          builder_.getStringAttr("output" + std::to_string(i)));
    for (auto [i, type] : llvm::enumerate(tile_.reads)) {
      if (type != arguments[i])
        entry.setArgAttr(i, partition::kBorderTypeAttribute, TypeAttr::get(type));
    }
    entry->setAttr(partition::kAnyResultLayoutAttribute, builder_.getUnitAttr());
    if (tile_.choice > 0)
      entry->setAttr(partition::kLayoutChoiceAttribute, builder_.getI64IntegerAttr(tile_.choice));
    return entry;
  }

  /// The operators of a block that are in the tile.
  void copyFrom(Block& block) {
    for (Operation& op : block.without_terminator()) {
      const OperatorGraph::Range range = graph_.nodesOf(&op);
      size_t count = 0;
      for (uint32_t node = range.first; node < range.end; ++node) count += nodes_.contains(node);
      if (count == 0) continue;
      if (count == range.end - range.first)
        copyWhole(op);
      else
        copyFrom(cast<ir::CompositeOp>(op).getBody().front());
    }
  }

  void copyWhole(Operation& op) {
    IRMapping mapping;
    partition::forEachOutsideOperand(&op, [&](OpOperand& operand) {
      mapping.map(operand.get(), copyOf(graph_.origin(operand.get())));
    });
    Operation* copy = builder_.clone(op, mapping);
    if (hasNumbers_) number(copy, graph_.nodesOf(&op).first);
    for (auto [result, copied] : llvm::zip_equal(op.getResults(), copy->getResults()))
      mapping_.try_emplace(graph_.origin(result), copied);
  }

  /// Numbers operators as OperatorGraph does; gives the next number.
  uint32_t number(Operation* op, uint32_t next) {
    if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
      for (Operation& part : composite.getBody().front().without_terminator())
        next = number(&part, next);
      return next;
    }
    if (isa<ir::ConstantOp>(op)) return next;
    op->setAttr(kNodeAttribute, builder_.getI64IntegerAttr(next));
    return next + 1;
  }

  Value copyOf(Value origin) {
    Value& copy = mapping_[origin];
    if (!copy) {  // A constant: all else comes in order.
      copy = builder_.clone(*origin.getDefiningOp())->getResult(0);
    }
    return copy;
  }

  const OperatorGraph& graph_;
  const Tile& tile_;
  const bool hasNumbers_;
  llvm::DenseSet<uint32_t> nodes_;
  llvm::SetVector<Value> inputs_;
  SmallVector<Value> outputs_;
  llvm::DenseMap<Value, Value> mapping_;  ///< Origins to what they are in the tile.
  OpBuilder builder_{graph_.entry().getContext()};
};

}  // namespace

ExtractedTile extractTile(const OperatorGraph& graph, const Tile& tile, bool hasNumbers) {
  return Extraction(graph, tile, hasNumbers).run();
}

/// Whether passes and owners see no more of a constant than its type.
static bool isKnownByType(ir::ConstantOp constant) {
  return isa<FloatType>(cast<RankedTensorType>(constant.getType()).getElementType()) &&
         !isa<DenseElementsAttr>(constant.getValue());
}

bool readsFit(const OperatorGraph& graph, const Tile& tile) {
  if (tile.reads.empty()) return true;
  const ExtractedTile extracted =
      extractTile(graph, {.nodes = tile.nodes, .target = tile.target, .reads = {}});
  const auto fits = [](Type wanted, Value given) {
    const auto a = dyn_cast<RankedTensorType>(wanted);
    const auto b = dyn_cast<RankedTensorType>(given.getType());
    return a && b ? a.getShape() == b.getShape() && a.getElementType() == b.getElementType()
                  : wanted == given.getType();
  };
  return llvm::equal(tile.reads, extracted.inputs, fits);
}

std::string tileClass(ModuleOp extracted) {
  OwningOpRef<ModuleOp> copy = extracted.clone();
  const Attribute some = StringAttr::get(extracted.getContext(), "some");
  copy->walk([&](ir::ConstantOp constant) {
    if (isKnownByType(constant)) constant.setValueAttr(some);
  });
  const OpPrintingFlags flags =
      OpPrintingFlags().printGenericOpForm().assumeVerified().useLocalScope();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*copy)->print(stream, flags);
  return base::contentHash(text);
}

}  // namespace tessera::placement
