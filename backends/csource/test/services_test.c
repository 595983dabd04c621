/* What generated C knows of the runtime by number is what the runtime's header says. */
#include <stddef.h>

#include "backends/csource/compiler/prelude/tessera_csource.h"
#include "tessera/backend_runtime.h"

#define SAME(field)                                                                           \
  _Static_assert(offsetof(csource_services, field) == offsetof(tessera_host_services, field), \
                 "csource_services differs from tessera_host_services")
SAME(host);
SAME(parallel_for);
SAME(alloc_output);
SAME(workspace);
SAME(log);
SAME(num_threads);
SAME(refuse);
