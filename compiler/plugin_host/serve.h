// The worker's side: answers questions about plugins.
#pragma once

#include "compiler/worker/serve.h"

namespace tessera::plugin_host {

/// Answers for the one plugin that it is told to load. Questions and answers are those of remote.h.
worker::Handler createHandler();

}  // namespace tessera::plugin_host
