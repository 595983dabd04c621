// Checks the events of a Bundle's program. Internal to artifact/.
#pragma once

#include "artifact/bundle.h"
#include "tessera/status.h"

namespace tessera::artifact {

/// Every event is signalled once, before it is waited for, and no instruction touches memory that
/// an earlier one may still be using. Everything else in the bundle is valid.
Status validateEvents(const Bundle& bundle);

}  // namespace tessera::artifact
