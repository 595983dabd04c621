// The worker's side: runs passes and emission of the backends of this compiler.
#pragma once

#include "compiler/backend_api/registry.h"
#include "compiler/worker/serve.h"

namespace tessera::isolation {

/// Whether it is a question for this handler.
bool isQuestion(const worker::Message& message);

/// Answers with the backends of `registry`, which outlives it. Questions and answers are those of
/// run_remotely.cpp and isolated_backend.cpp.
worker::Handler createHandler(const backend_api::BackendRegistry& registry);

}  // namespace tessera::isolation
