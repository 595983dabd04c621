// The worker's side: asks backends about cases, and runs them.
#pragma once

#include "compiler/worker/serve.h"

namespace tessera::conformance {

/// What is asked.
inline constexpr const char* kAskAboutCase = "ask_about_case";
inline constexpr const char* kPlaceCases = "place_cases";
inline constexpr const char* kCheckCases = "check_cases";

/// Whether it is a question for this handler.
bool isQuestion(const worker::Message& message);

/// Answers what elsewhere.cpp asks.
worker::Handler createHandler();

}  // namespace tessera::conformance
