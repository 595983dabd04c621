// How calls inside the runtime fail: a status of the C ABI and a sentence. Success allocates
// nothing.
#pragma once

#include <string>
#include <utility>

#include "tessera/runtime.h"

namespace tessera::runtime {

struct [[nodiscard]] Outcome {
  tessera_status status = TESSERA_OK;
  std::string message;

  bool ok() const { return status == TESSERA_OK; }
};

inline Outcome failure(tessera_status status, std::string message) {
  return {.status = status, .message = std::move(message)};
}

}  // namespace tessera::runtime

/// Returns the outcome of the call from the enclosing function unless it is a success.
#define TESSERA_RUNTIME_TRY(...)                                                          \
  do {                                                                                    \
    if (::tessera::runtime::Outcome tesseraOutcome = (__VA_ARGS__); !tesseraOutcome.ok()) \
      return tesseraOutcome;                                                              \
  } while (false)
