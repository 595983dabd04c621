// The worker's side: runs cases.
#pragma once

#include "compiler/worker/serve.h"

namespace tessera::conformance {

/// Whether it is a question for this handler.
bool isQuestion(const worker::Message& message);

/// Answers what elsewhere.cpp asks.
worker::Handler createHandler();

}  // namespace tessera::conformance
