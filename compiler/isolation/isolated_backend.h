// A backend of this compiler that cannot take the compiler with it.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"

namespace tessera::isolation {

/// The backend, its passes of the pipeline's phases and its emission run in a process of their own
/// (compiler/worker), which has the same backends. Questions about operators, regions, layouts and
/// constants are answered here, for they concern what both processes would have to see, but not
/// before that process placed the module by itself. One that crashes or hangs is a refusal: of the
/// regions that it was to compile, or of all operators when it was asked.
std::unique_ptr<backend_api::Backend> isolate(std::unique_ptr<backend_api::Backend> backend);

}  // namespace tessera::isolation
