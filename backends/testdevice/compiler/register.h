// How the compiler finds this backend.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"

namespace tessera::backend_testdevice {

std::unique_ptr<backend_api::Backend> createBackend();

}  // namespace tessera::backend_testdevice
