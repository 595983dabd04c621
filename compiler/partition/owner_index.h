// The owners of one module, looked up in constant time.
#pragma once

#include "compiler/backend_api/registry.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera::partition {

/// Who may own operators of a module and by which rules; asked once for a pass.
class OwnerIndex {
 public:
  /// The owners that the module names. Fails after an error on the module when it names an unknown
  /// one.
  static mlir::FailureOr<OwnerIndex> of(mlir::ModuleOp module);

  OwnerIndex(OwnerIndex&&) = default;
  OwnerIndex& operator=(OwnerIndex&&) = default;

  size_t size() const { return owners_.size(); }
  const backend_api::Owner& operator[](size_t i) const { return owners_[i]; }
  /// The host target, wherever it is listed; null when there is none.
  const backend_api::Owner* host() const { return backend_api::hostOf(owners_); }

  size_t indexOf(const backend_api::Owner& owner) const { return &owner - owners_.data(); }

  /// The owner whose target `attribute` is; null when it is none of these or null.
  const backend_api::Owner* find(ir::TargetAttr attribute) const;
  /// The owner of a function or operation; null when it has none.
  const backend_api::Owner* of(mlir::Operation* op) const { return find(backend_api::ownerOf(op)); }
  /// The owner whose target has this text or, when it has no attributes, the first of that kind
  /// ("opencl") or of that kind and device ("opencl:1"); null when there is none.
  const backend_api::Owner* findByText(llvm::StringRef text) const;
  /// `#tsr.target<...>` of one of these owners.
  ir::TargetAttr attribute(const backend_api::Owner& owner) const;
  const backend_api::RegionRules& rules(const backend_api::Owner& owner) const;

 private:
  OwnerIndex() = default;

  backend_api::Owners owners_;
  std::vector<ir::TargetAttr> attributes_;
  std::vector<backend_api::RegionRules> rules_;
  llvm::DenseMap<ir::TargetAttr, size_t> index_;
};

}  // namespace tessera::partition
