#include "compiler/partition/owner_index.h"

namespace tessera::partition {

using backend_api::Owner;

mlir::FailureOr<OwnerIndex> OwnerIndex::of(mlir::ModuleOp module) {
  auto owners = backend_api::ownersOrEmitError(module);
  if (failed(owners)) return mlir::failure();
  OwnerIndex index;
  index.owners_ = std::move(*owners);
  for (const Owner& owner : index.owners_) {
    index.attributes_.push_back(backend_api::toAttribute(module.getContext(), owner.target));
    index.rules_.push_back(owner.backend->regionRules(owner.target));
    index.index_.try_emplace(index.attributes_.back(), index.attributes_.size() - 1);
  }
  return index;
}

const Owner* OwnerIndex::find(ir::TargetAttr attribute) const {
  if (!attribute) return nullptr;
  const auto it = index_.find(attribute);
  return it == index_.end() ? nullptr : &owners_[it->second];
}

const Owner* OwnerIndex::findByText(llvm::StringRef text) const {
  const auto named = [&](const Owner& owner) { return owner.target.toString() == text; };
  const auto ofKind = [&](const Owner& owner) { return owner.target.kind == text; };
  const auto ofDevice = [&](const Owner& owner) {
    return owner.target.kind + ":" + std::to_string(owner.target.device) == text;
  };
  auto it = llvm::find_if(owners_, named);
  if (it == owners_.end()) it = llvm::find_if(owners_, ofKind);
  if (it == owners_.end()) it = llvm::find_if(owners_, ofDevice);
  return it == owners_.end() ? nullptr : &*it;
}

ir::TargetAttr OwnerIndex::attribute(const Owner& owner) const {
  return attributes_[indexOf(owner)];
}

const backend_api::RegionRules& OwnerIndex::rules(const Owner& owner) const {
  return rules_[indexOf(owner)];
}

}  // namespace tessera::partition
