// The worker's side of measuring: makes trials of modules and times them.
#pragma once

#include "compiler/worker/serve.h"

namespace tessera::driver {

/// Questions, in "call"; extents are {"offset", "size"} in the memory of "memory":
///
/// trial_begin  {plugins: [file]}                      backends from now on; once for a process
/// trial_make   {id, module, constants: [{hash, offset, size}], memory, threads, is_whole, is_cold,
///               inputs: [tensor], expected: [tensor]}  -> {outcome, reason, first_call, arena}
/// trial_time   {ids, milliseconds, min_samples, max_samples, max_warmup, are_rivals}
///                                                     -> {samples: [[s]], reasons: [""]}
/// trial_drop   {ids}
///
/// The module is bytecode, the first payload, at phase post_partition or before; a tensor is
/// {type, shape, offset, size}.
bool isTrialQuestion(const worker::Message& message);

worker::Handler createTrialHandler();

}  // namespace tessera::driver
