#include "backends/onednn/runtime/builder.h"

#include <algorithm>
#include <cstring>

#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

using dnnl::memory;
using region_graph::kAbsent;

static size_t at(int32_t index) { return static_cast<size_t>(index); }

Desc plainDesc(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * dims[d + 1];
  return {dims, memory::data_type::f32, strides};
}

Desc channelsLastDesc(const Dims& dims) {
  Dims last = dims;
  last.erase(last.begin() + 1);
  last.push_back(dims[1]);
  std::vector<int> permutation(dims.size());
  permutation[0] = 0;
  for (size_t d = 1; d + 1 < dims.size(); ++d) permutation[d] = static_cast<int>(d) + 1;
  permutation[dims.size() - 1] = 1;
  return plainDesc(last).permute_axes(permutation);
}

Desc anyDesc(const Dims& dims) { return {dims, memory::data_type::f32, memory::format_tag::any}; }

bool isDense(const Desc& desc) {
  if (desc.get_submemory_offset() != 0) return false;
  int64_t count = sizeof(float);
  for (const int64_t size : desc.get_padded_dims()) count *= size;
  return desc.get_size() == static_cast<size_t>(count);
}

bool isFast(const dnnl::primitive_desc_base& primitive) {
  return std::strstr(primitive.impl_info_str(), "ref") == nullptr;
}

dnnl::primitive_attr Builder::attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Builder::Builder(const region_graph::GraphT& graph, Constants& constants,
                 const dnnl::engine& engine)
    : graph_(graph),
      constants_(constants),
      engine_(engine),
      program_(std::make_unique<Program>(engine)),
      values_(graph.tensors.size()),
      isDefined_(graph.tensors.size()),
      readsLeft_(graph.tensors.size()) {
  for (size_t i = 0; i < graph.arguments.size(); ++i) {
    const int32_t tensor = graph.arguments[i];
    if (numElements(*graph.tensors[at(tensor)]) < 0) fits_ = false;
    if (constants.isReleased(tensor)) continue;  // As one in the graph.
    store(tensor,
          {.desc = declaredDesc(tensor), .place = {.storage = Storage::kInput, .index = i}});
  }
  for (const int32_t result : graph.results) ++readsLeft_[at(result)];
}

Dims Builder::dimsOf(int32_t tensor) const {
  const auto& dims = graph_.tensors[at(tensor)]->dims;
  return dims.empty() ? Dims{1} : Dims(dims.begin(), dims.end());
}

/// Row-major, or channels in blocks.
Desc Builder::declaredDesc(int32_t tensor) {
  using Tag = memory::format_tag;
  const auto& declared = *graph_.tensors[at(tensor)];
  const Dims dims = dimsOf(tensor);
  if (isRowMajor(declared)) return plainDesc(dims);
  static constexpr Tag kTags[3][3] = {{Tag::aBc4b, Tag::aBc8b, Tag::aBc16b},
                                      {Tag::aBcd4b, Tag::aBcd8b, Tag::aBcd16b},
                                      {Tag::aBcde4b, Tag::aBcde8b, Tag::aBcde16b}};
  const bool isBlocked = declared.order.empty() && declared.block_dims == std::vector<int64_t>{1};
  for (size_t i = 0; isBlocked && dims.size() >= 3 && dims.size() <= 5 && i < 3; ++i) {
    if (declared.block_sizes.front() == int64_t{4} << i)
      return {dims, memory::data_type::f32, kTags[dims.size() - 3][i]};
  }
  fits_ = false;
  return plainDesc(dims);
}

void Builder::store(int32_t tensor, const Value& value) {
  values_[at(tensor)] = value;
  isDefined_[at(tensor)] = true;
}

void Builder::checkCount(int32_t tensor, const Desc& desc) {
  int64_t count = 1;
  for (const int64_t size : desc.get_dims()) count *= size;
  fits_ = fits_ && count == std::max<int64_t>(numElements(*graph_.tensors[at(tensor)]), 0);
}

Value Builder::value(int32_t tensor) {
  if (!isDefined_[at(tensor)]) {  // A constant in the graph.
    const Desc plain = plainDesc(dimsOf(tensor));
    store(tensor,
          {.desc = plain,
           .place = program_->addConstant(constants_.packed(tensor, {plain}, plain, engine_))});
  }
  return values_[at(tensor)];
}

Value Builder::scratch(const Desc& desc) {
  return {.desc = desc, .place = program_->addScratch(desc.get_size())};
}

Value Builder::reordered(const Value& from, const Desc& wanted) {
  for (const Conversion& known : conversions_) {
    if (known.from == from.place && known.fromDesc == from.desc && known.to.desc == wanted)
      return known.to;
  }
  const Value to = scratch(wanted);
  const dnnl::reorder::primitive_desc description(engine_, from.desc, engine_, wanted,
                                                  attributes());
  add(dnnl::reorder(description), description, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  conversions_.push_back({.from = from.place, .fromDesc = from.desc, .to = to});
  return to;
}

Desc Builder::descOf(int32_t tensor) const {
  return isKnown(tensor) ? values_[at(tensor)].desc : plainDesc(dimsOf(tensor));
}

Value Builder::read(int32_t tensor, const Desc& wanted) {
  checkCount(tensor, wanted);
  if (descOf(tensor) == wanted) return value(tensor);
  const Desc seen = plainDesc(wanted.get_dims());
  if (isConstant(tensor)) return readWeights(tensor, seen, wanted);
  Value now = value(tensor);
  const Dims own = dimsOf(tensor);
  if (wanted.get_dims() == own) return reordered(now, wanted);
  if (now.desc != plainDesc(own)) now = reordered(now, plainDesc(own));
  now.desc = seen;
  return seen == wanted ? now : reordered(now, wanted);
}

Value Builder::readDense(int32_t tensor) {
  const Value now = value(tensor);
  return isDense(now.desc) ? now : reordered(now, plainDesc(dimsOf(tensor)));
}

Value Builder::readWeights(int32_t tensor, const Desc& stored, const Desc& wanted) {
  checkCount(tensor, wanted);
  if (!isConstant(tensor)) {
    Value plain = read(tensor, plainDesc(dimsOf(tensor)));
    plain.desc = stored;
    return stored == wanted ? plain : reordered(plain, wanted);
  }
  if (stored == wanted && !constants_.isInline(tensor) && !constants_.isPacked(tensor)) {
    Value now = value(tensor);
    now.desc = stored;
    return now;
  }
  const auto bytes = constants_.packed(tensor, {stored}, wanted, engine_);
  return {.desc = wanted, .place = program_->addConstant(bytes)};
}

Value Builder::readAssembled(int32_t tensor, const Assembly& assembly, const Desc& wanted) {
  if (isConstant(tensor)) {
    const auto bytes = constants_.packed(tensor, assembly, wanted, engine_);
    return {.desc = wanted, .place = program_->addConstant(bytes)};
  }
  const Value from = read(tensor, plainDesc(dimsOf(tensor)));
  const Value whole = scratch(assembly.whole);
  for (const Assembly::Piece& piece : assembly.pieces) {
    const auto description = reorderOf(piece, engine_, attributes());
    add(dnnl::reorder(description), description,
        {{DNNL_ARG_FROM, {.desc = piece.from, .place = from.place}},
         {DNNL_ARG_TO, {.desc = piece.to, .place = whole.place}}});
  }
  return wanted == whole.desc ? whole : reordered(whole, wanted);
}

Value Builder::zeros(const Desc& desc) {
  auto bytes = std::make_shared<PackedBytes>(desc.get_size());
  std::memset(bytes->data(), 0, desc.get_size());
  return {.desc = desc, .place = program_->addConstant(std::move(bytes))};
}

/// The output that a value may be computed in, perhaps as what a relayout makes of it.
std::optional<Value> Builder::outputOf(int32_t tensor) {
  const auto find = [&](int32_t result) -> std::optional<Value> {
    const auto found = std::ranges::find(graph_.results, result);
    if (found == graph_.results.end()) return std::nullopt;
    return Value{.desc = declaredDesc(result),
                 .place = {.storage = Storage::kOutput,
                           .index = static_cast<size_t>(found - graph_.results.begin())}};
  };
  if (const std::optional<Value> own = find(tensor)) return own;
  for (const auto& op : graph_.operators) {
    if (op->name != "relayout" || op->inputs.front() != tensor) continue;
    if (const std::optional<Value> other = find(op->outputs.front())) return other;
  }
  return std::nullopt;
}

std::optional<Desc> Builder::blockedBorder(int32_t tensor) {
  std::optional<Value> border = outputOf(tensor);
  if (isKnown(tensor) && value(tensor).place.storage == Storage::kInput) border = value(tensor);
  if (!border || border->desc.get_inner_nblks() == 0) return std::nullopt;
  return border->desc;
}

std::optional<Desc> Builder::formForReader(int32_t tensor) const {
  const OperatorT* reader = nullptr;
  if (std::ranges::count(graph_.results, tensor) != 0) return std::nullopt;
  for (const auto& op : graph_.operators) {
    if (std::ranges::count(op->inputs, tensor) == 0) continue;
    if (reader != nullptr || op->name != "transpose") return std::nullopt;
    reader = op.get();
  }
  if (reader == nullptr || graph_.tensors[at(tensor)]->dims.empty()) return std::nullopt;
  const auto& axes = reader->attributes.AsAxes()->axes;
  const Desc transposed = plainDesc(dimsOf(reader->outputs.front()));
  return transposed.permute_axes(std::vector<int>(axes.begin(), axes.end()));
}

Value Builder::define(int32_t tensor, const Desc& desc) {
  checkCount(tensor, desc);
  const Desc plain = plainDesc(dimsOf(tensor));
  const bool isPlain = desc == plain || desc == plainDesc(desc.get_dims());
  const std::optional<Value> output = outputOf(tensor);
  const bool isOutput = output && (desc == output->desc || (isPlain && plain == output->desc));
  const Value made = isOutput ? Value{.desc = desc, .place = output->place} : scratch(desc);
  // Under its own sizes where it was computed under others.
  store(tensor, {.desc = isPlain ? plain : desc, .place = made.place});
  return made;
}

void Builder::defineOver(int32_t tensor, const Value& over) {
  checkCount(tensor, over.desc);
  forgetConversions(over.place);
  store(tensor, over);
}

void Builder::forgetConversions(Place place) {
  std::erase_if(conversions_, [&](const Conversion& known) {
    return known.from == place || known.to.place == place;
  });
}

bool Builder::diesAfter(int32_t tensor, Group group) {
  const Place place = value(tensor).place;
  if (place.storage != Storage::kScratch) return false;
  countReads(-1, group);
  bool isRead = false;
  for (size_t i = 0; i < values_.size(); ++i)
    isRead |= isDefined_[i] && values_[i].place == place && readsLeft_[i] > 0;
  countReads(1, group);
  return !isRead;
}

void Builder::countReads(int change, Group group) {
  for (const OperatorT* op : group) {
    for (const int32_t input : op->inputs) {
      if (input != kAbsent) readsLeft_[at(input)] += change;
    }
  }
}

Status Builder::buildGroup(Group group) {
  // A group that no primitive does as one is done one by one.
  if (group.size() > 1) {
    TESSERA_TRY(const bool isBuilt, buildFused(*this, group));
    if (isBuilt) {
      countReads(-1, group);
      return {};
    }
  }
  for (const OperatorT* const& op : group) {
    const Group alone(&op, 1);
    countReads(-1, alone);
    TESSERA_TRY(const bool isBuilt, buildOperator(*this, alone));
    if (!isBuilt) return targetFailed("oneDNN has no fast kernel for " + op->name);
  }
  return {};
}

void Builder::copyResults() {
  for (size_t i = 0; i < graph_.results.size(); ++i) {
    const int32_t tensor = graph_.results[i];
    const Value output{.desc = declaredDesc(tensor),
                       .place = {.storage = Storage::kOutput, .index = i}};
    const Value now = value(tensor);
    if (now.place == output.place) continue;
    const dnnl::reorder::primitive_desc description(engine_, now.desc, engine_, output.desc,
                                                    attributes());
    add(dnnl::reorder(description), description, {{DNNL_ARG_FROM, now}, {DNNL_ARG_TO, output}});
  }
}

Result<std::unique_ptr<Program>> Builder::build() {
  std::vector<const OperatorT*> operators;
  for (const auto& op : graph_.operators) {
    operators.push_back(op.get());
    countReads(1, Group(operators).last(1));
  }
  for (size_t begin = 0, end = 0; begin < operators.size() && fits_; begin = end) {
    while (end < operators.size() && operators[end]->group == operators[begin]->group) ++end;
    TESSERA_TRY_VOID(buildGroup(Group(operators).subspan(begin, end - begin)));
  }
  if (fits_) copyResults();
  if (!fits_)
    return targetFailed("region graph '" + graph_.name + "' has sizes or orders that do not fit");
  if (!program_->hasAllConstants())
    return targetFailed("a constant was released in another form than it is needed in");
  program_->finish();
  return std::move(program_);
}

}  // namespace tessera::backend_onednn
