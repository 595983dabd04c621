// The worker's side of measuring: makes trials of modules and times them.
#pragma once

#include "compiler/worker/serve.h"

namespace tessera::driver {

/// Questions, in "call"; extents are {"offset", "size"} in the memory of "memory":
///
/// trial_begin  {plugins: [file], threads, latency_ns, throughput_ns}  backends from now on, once
///              for a process
/// trial_rehearse {module, constants: [..], memory, target}  places it, to see who answers
/// trial_make   {id, module, constants: [{hash, offset, size}], memory, threads, is_whole, rest,
///               near, inputs: [tensor], expected: [tensor]}
///    -> {outcome, reason, first_call, memory}
/// trial_calibrate {milliseconds}                      -> {yardstick, latency, throughput}
/// trial_time   {ids, milliseconds, patience, min_samples, max_samples, max_warmup,
///               half_width_ppm, are_rivals, yardstick_ns, num_traced}
///    -> {trials: [{seconds: [s], turns: [s], calm: [0 or 1], calls: [s], disturbed_yardstick,
///                  reason, is_wrong, remarks: [""]}], remarks: [""], waited, yardstick}
/// trial_drop   {ids}
///
/// `turns` are as they were taken, for those compared in pairs, `calm` of each whether the machine
/// was; `calls` is what each call takes in the `num_traced` runs; `reason` says why it did not run
/// to the end, or what its last run got wrong; `remarks` of all are those about the machine.
/// `patience` is in milliseconds. `latency` and `throughput` are of the core that samples are
/// compared with (timing/yardstick.h), 0 before one is known. Yardsticks are its time when nothing
/// disturbs it, as it is known or was seen, 0 where that could not be seen, but for
/// `disturbed_yardstick` (Competitor, timing/race.h). `rest` and `near` are a
/// placement::RestOfModel. The module is bytecode, the first payload, at phase post_partition or
/// before; a tensor is {type, shape, offset, size}.
bool isTrialQuestion(const worker::Message& message);

worker::Handler createTrialHandler();

}  // namespace tessera::driver
