// Blocks to graphs. Values are named when the node that makes them is written, constants when the
// first node that reads them is: after it and the operand, "conv1.w".
#include "frontends/onnx/export/write_graph.h"

#include <map>

#include "compiler/ir/op_info.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/export/attributes.h"
#include "frontends/onnx/export/downgrade/downgrade.h"
#include "frontends/onnx/export/prepare.h"
#include "frontends/onnx/export/schema.h"
#include "frontends/onnx/export/types.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

using namespace mlir;

namespace tessera::onnx {

namespace {

/// State of one export.
class GraphWriter {
 public:
  GraphWriter(int opset, WeightList& weights) : opset_(opset), weights_(weights) {}

  Status writeMain(GraphProto& graph, Block& block, const BorderNames& inputs,
                   const BorderNames& outputs);
  const std::map<std::string, int64_t>& domains() const { return domains_; }

 private:
  Status writeNodes(GraphProto& graph, Block& block);
  Status writeNode(GraphProto& graph, Operation& op);
  Status writeBodies(NodeProto& node, Operation& op);
  Status writeBody(GraphProto& graph, Block& block, const std::string& name);
  Status writeConstants(GraphProto& graph, Block& block);
  Status noteDomain(const NodeDraft& draft);
  std::string nameInput(const NodeDraft& draft, size_t index, const std::string& node);
  void nameOutputs(GraphProto& graph, const NodeDraft& draft, NodeProto& node);
  void writeIdentity(GraphProto& graph, Value value, const std::string& name);
  static void writeMetadata(NodeProto& node, Operation& op);

  int opset_;
  WeightList& weights_;
  ValueNames values_;
  UniqueNames nodes_;
  std::map<std::string, int64_t> domains_;  ///< Versions of domains other than the default one.
};

}  // namespace

static void writeInfo(ValueInfoProto& info, std::string_view name, Type type) {
  info.set_name(std::string(name));
  TypeProto known;
  if (writeType(known, type)) *info.mutable_type() = std::move(known);
}

/// What the table calls an entry of a list whose last one may be variadic: "w", "inputs.2".
static std::string entryName(const std::vector<ir::ValueInfo>& entries, size_t index) {
  if (entries.empty()) return std::to_string(index);
  const size_t last = entries.size() - 1;
  if (index < last || entries[last].presence != ir::Presence::kVariadic)
    return index <= last ? std::string(entries[index].name) : std::to_string(index);
  return std::string(entries[last].name) + "." + std::to_string(index - last);
}

static const ir::OpInfo* infoOf(const NodeDraft& draft) {
  return draft.domain.empty() ? ir::findByOnnxName(draft.opType) : nullptr;
}

std::string GraphWriter::nameInput(const NodeDraft& draft, size_t index, const std::string& node) {
  const Value value = draft.inputs[index];
  if (!value) return {};
  if (const std::string_view known = values_.find(value); !known.empty()) return std::string(known);
  const ir::OpInfo* info = infoOf(draft);
  const std::string entry =
      info != nullptr ? entryName(info->operands, index) : std::to_string(index);
  return values_.assign(value, node + "." + entry);
}

void GraphWriter::nameOutputs(GraphProto& graph, const NodeDraft& draft, NodeProto& node) {
  const ir::OpInfo* info = infoOf(draft);
  for (auto [i, value] : llvm::enumerate(draft.outputs)) {
    if (!value) {
      node.add_output("");
      continue;
    }
    const bool isGraphOutput = values_.contains(value);
    if (!isGraphOutput) {
      const std::string entry = info != nullptr ? entryName(info->results, i) : std::to_string(i);
      values_.assign(value, draft.outputs.size() == 1 ? node.name() : node.name() + "." + entry);
      TypeProto known;
      if (writeType(known, value.getType()))
        writeInfo(*graph.add_value_info(), values_.find(value), value.getType());
    }
    node.add_output(std::string(values_.find(value)));
  }
}

Status GraphWriter::noteDomain(const NodeDraft& draft) {
  if (draft.domain.empty()) return {};
  const auto version =
      static_cast<int64_t>(std::max<uint64_t>(1, llvm::cast<ir::CustomOp>(draft.op).getOpset()));
  const auto [known, isNew] = domains_.try_emplace(draft.domain, version);
  if (isNew || known->second == version) return {};
  return draftError(draft, "the node is of version " + std::to_string(version) + " of domain '" +
                               draft.domain + "', another one of version " +
                               std::to_string(known->second) + ", but a model has one version");
}

void GraphWriter::writeMetadata(NodeProto& node, Operation& op) {
  const auto add = [&](const std::string& key, std::string value) {
    StringStringEntryProto& entry = *node.add_metadata_props();
    entry.set_key(key);
    entry.set_value(std::move(value));
  };
  if (const auto notes =
          llvm::dyn_cast_or_null<DictionaryAttr>(op.getDiscardableAttr(kNotesAttribute))) {
    for (const NamedAttribute note : notes)
      add(note.getName().str(), llvm::cast<StringAttr>(note.getValue()).str());
  }
  const auto sources = ir::sourceNames(op.getLoc());
  if (sources.size() < 2) return;
  std::string all;
  for (const std::string& source : sources) all += (all.empty() ? "" : ", ") + source;
  add("tessera.source_nodes", std::move(all));
}

Status GraphWriter::writeNode(GraphProto& graph, Operation& op) {
  TESSERA_TRY(NodeDraft draft, draftNode(&op));
  TESSERA_TRY_VOID(checkOperator(draft, opset_));
  TESSERA_TRY_VOID(spellFor(draft, opset_));
  TESSERA_TRY_VOID(checkForm(draft, opset_));
  TESSERA_TRY_VOID(noteDomain(draft));
  // Bodies come first: they are full of nodes, and `add_node` gives this one its place.
  NodeProto node;
  node.set_op_type(draft.opType);
  node.set_domain(draft.domain);
  const auto sources = ir::sourceNames(op.getLoc());
  node.set_name(
      nodes_.take(sources.empty() || sources.front().empty() ? draft.opType : sources.front()));
  for (size_t i = 0; i < draft.inputs.size(); ++i) node.add_input(nameInput(draft, i, node.name()));
  for (const auto& [name, value] : draft.attributes) {
    if (Status status = writeAttribute(*node.add_attribute(), name, value, weights_); !status)
      return draftError(draft, status.error().message);
  }
  TESSERA_TRY_VOID(writeBodies(node, op));
  nameOutputs(graph, draft, node);
  writeMetadata(node, op);
  *graph.add_node() = std::move(node);
  return {};
}

Status GraphWriter::writeBodies(NodeProto& node, Operation& op) {
  if (op.getNumRegions() == 0) return {};
  const llvm::SmallVector<std::string> names =
      llvm::isa<ir::IfOp>(op) ? llvm::SmallVector<std::string>{"then_branch", "else_branch"}
                              : llvm::SmallVector<std::string>{"body"};
  for (auto [region, name] : llvm::zip_equal(op.getRegions(), names)) {
    AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(AttributeProto::GRAPH);
    TESSERA_TRY_VOID(writeBody(*attribute.mutable_g(), region.front(), node.name() + "." + name));
  }
  return {};
}

/// An output that another value of the block, or one from outside of it, is.
void GraphWriter::writeIdentity(GraphProto& graph, Value value, const std::string& name) {
  NodeProto& node = *graph.add_node();
  node.set_op_type("Identity");
  node.set_name(nodes_.take(name));
  std::string_view input = values_.find(value);
  if (input.empty()) input = values_.assign(value, name + ".value");
  node.add_input(std::string(input));
  node.add_output(name);
}

Status GraphWriter::writeBody(GraphProto& graph, Block& block, const std::string& name) {
  graph.set_name(name);
  for (const BlockArgument argument : block.getArguments()) {
    const std::string wanted = name + ".input_" + std::to_string(argument.getArgNumber());
    writeInfo(*graph.add_input(), values_.assign(argument, wanted), argument.getType());
  }
  TESSERA_TRY_VOID(writeNodes(graph, block));
  llvm::DenseSet<Value> given;
  for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
    // An output is made in the body itself: not an input, a constant or a value from outside.
    Operation* maker = value.getDefiningOp();
    const bool isMadeHere = maker != nullptr && maker->getBlock() == &block &&
                            !llvm::isa<ir::ConstantOp>(maker) && given.insert(value).second;
    std::string output(values_.find(value));
    if (!isMadeHere) {
      output = values_.take(name + ".output_" + std::to_string(i));
      writeIdentity(graph, value, output);
    }
    writeInfo(*graph.add_output(), output, value.getType());
  }
  return writeConstants(graph, block);
}

Status GraphWriter::writeMain(GraphProto& graph, Block& block, const BorderNames& inputs,
                              const BorderNames& outputs) {
  for (const BlockArgument argument : block.getArguments()) {
    const std::string& wanted = inputs[argument.getArgNumber()];
    writeInfo(*graph.add_input(), values_.assign(argument, wanted), argument.getType());
  }
  // Outputs have their names before anything else may take them.
  const OperandRange returned = block.getTerminator()->getOperands();
  llvm::SmallVector<std::pair<Value, std::string>> copies;
  for (auto [i, value] : llvm::enumerate(returned)) {
    Operation* maker = value.getDefiningOp();
    if (values_.find(value) == outputs[i]) {  // An input that is an output, too.
      writeInfo(*graph.add_output(), outputs[i], value.getType());
      continue;
    }
    std::string name = values_.take(outputs[i]);
    writeInfo(*graph.add_output(), name, value.getType());
    if (maker == nullptr || llvm::isa<ir::ConstantOp>(maker) || values_.contains(value))
      copies.emplace_back(value, std::move(name));
    else
      values_.set(value, std::move(name));
  }
  TESSERA_TRY_VOID(writeNodes(graph, block));
  for (const auto& [value, name] : copies) writeIdentity(graph, value, name);
  return writeConstants(graph, block);
}

Status GraphWriter::writeNodes(GraphProto& graph, Block& block) {
  for (Operation& op : block.without_terminator()) {
    if (!llvm::isa<ir::ConstantOp>(op)) TESSERA_TRY_VOID(writeNode(graph, op));
  }
  return {};
}

Status GraphWriter::writeConstants(GraphProto& graph, Block& block) {
  for (auto constant : block.getOps<ir::ConstantOp>()) {
    const std::string_view name = values_.find(constant);
    if (name.empty()) continue;  // Nothing reads it.
    TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(std::string(name));
    TESSERA_TRY_VOID(writeTensor(tensor, constant.getValue(),
                                 llvm::cast<RankedTensorType>(constant.getType()), weights_));
  }
  return {};
}

Status writeGraph(ModelProto& model, func::FuncOp function, const BorderNames& inputs,
                  const BorderNames& outputs, int opset, WeightList& weights) {
  GraphWriter writer(opset, weights);
  TESSERA_TRY_VOID(
      writer.writeMain(*model.mutable_graph(), function.getBody().front(), inputs, outputs));
  OperatorSetIdProto& common = *model.add_opset_import();
  common.set_domain("");
  common.set_version(opset);
  for (const auto& [domain, version] : writer.domains()) {
    OperatorSetIdProto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  return {};
}

}  // namespace tessera::onnx
