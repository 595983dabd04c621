// What an owner emits as a message.
#pragma once

#include "compiler/backend_api/emission.h"
#include "compiler/worker/serve.h"

namespace tessera::isolation {

/// The blobs are the payloads.
worker::Answer pack(backend_api::Emission emission);

/// The emission that an answer is; what makes no sense in it is a refusal. The receiver checks the
/// number of its regions.
backend_api::Emission emissionOf(worker::Message answer);

}  // namespace tessera::isolation
