// The declared types of one call site, as backends see them.
#pragma once

#include <vector>

#include "artifact/bundle.h"
#include "tessera/backend_runtime.h"

namespace tessera::runtime {

/// Borrows from the bundle.
class Signature {
 public:
  Signature(const artifact::Bundle& bundle, const artifact::CallInstruction& call);
  Signature(const Signature&) = delete;
  Signature& operator=(const Signature&) = delete;
  const tessera_signature* raw() const { return &raw_; }

 private:
  std::vector<tessera_argument_type> types_;  ///< Inputs, then outputs.
  std::vector<const tessera_argument_type*> pointers_;
  tessera_signature raw_ = {};
};

}  // namespace tessera::runtime
