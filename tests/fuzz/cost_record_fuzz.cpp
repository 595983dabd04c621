// The reader of measurements on arbitrary bytes; what it accepts is written and read again.
#include <cstdint>
#include <cstdlib>

#include "compiler/costs/record.h"

using tessera::costs::digestOf;
using tessera::costs::fromJson;
using tessera::costs::toJson;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto record = fromJson({reinterpret_cast<const char*>(data), size});
  if (!record) {
    if (record.error().message.empty()) std::abort();
    return 0;
  }
  const auto again = fromJson(toJson(*record));
  if (!again || digestOf(*again) != digestOf(*record)) std::abort();
  return 0;
}
