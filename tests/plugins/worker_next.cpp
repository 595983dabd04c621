// `tessera worker` of a compiler with the next version of the plugin ABI.
#include "compiler/plugin_host/serve.h"
#include "compiler/worker/process.h"

int main() {
  return tessera::worker::serve(tessera::worker::kChildSocket,
                                tessera::plugin_host::createHandler());
}
