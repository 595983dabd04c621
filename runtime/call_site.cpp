#include "runtime/call_site.h"

namespace tessera::runtime {

CallSite callSiteOf(const artifact::Bundle& bundle, const artifact::CallInstruction& call) {
  CallSite site{.instruction = &call, .choices = {}};
  for (const artifact::Implementation& implementation :
       bundle.regions[call.region].implementations) {
    auto choice = std::make_unique<Choice>();
    choice->implementation = &implementation;
    choice->isCertain = true;
    bool mayHold = true;
    for (const artifact::DimGuard& guard : implementation.dimGuards) {
      const int64_t dim = bundle.buffers[call.inputs[guard.input]].dims[guard.dim];
      const bool isKnown = dim != artifact::kDynamic;
      choice->isCertain &= isKnown;
      mayHold &= !isKnown || (dim >= guard.minimum && dim <= guard.maximum);
    }
    if (mayHold) site.choices.push_back(std::move(choice));
  }
  return site;
}

}  // namespace tessera::runtime
