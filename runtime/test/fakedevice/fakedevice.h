// A runtime half for tests: two devices, each with memory of its own that the host cannot read and
// a thread that does its work in order. Its regions add f32 tensors; the code blob is not looked
// at.
//
//   add         out = sum of inputs + bias (target attribute -bias=N, 0)
//   gated_add   the same, when openGate() was called; fails after 5 s without
//   threads     out[0] = threads of the context, through the state that prepare made
//   fail_run    fails at once           fail_later  fails when its event is waited for
//   fail_load   is no symbol            fail_prepare  cannot be prepared
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/backend_runtime.h"

namespace tessera::fakedevice {

/// What all devices did since the last reset(). Read it when nothing runs.
struct Log {
  int devicesCreated = 0;
  int devicesDestroyed = 0;
  int instancesCreated = 0;
  int copiesIn = 0;
  int copiesOut = 0;
  int peerCopies = 0;
  int statesReleased = 0;
  int constantsPrepared = 0;
  int waitEventsGiven = 0;
  int eventsCreated = 0;
  std::vector<int32_t> preparedForThreads;
  std::vector<int32_t> copiedWithThreads;
};
Log& log();
void reset();

/// Lets one gated_add go on, now or later.
void openGate();

/// The half, as the shared library's entry gives it.
const tessera_backend_runtime* half();

/// What an application would get from a vendor's library: memory of device `number` (0 or 1).
void* allocate(uint32_t number, size_t bytes);
void free(uint32_t number, void* data);
void write(uint32_t number, void* destination, const void* source, size_t bytes);
void read(uint32_t number, void* destination, const void* source, size_t bytes);
size_t numAllocations(uint32_t number);

}  // namespace tessera::fakedevice
