// What a worker process answers: about plugins, about backends of this compiler, about cases, about
// trials.
#include <csignal>

#include "compiler/backend_registry/registry.h"
#include "compiler/conformance/serve.h"
#include "compiler/driver/measuring/serve.h"
#include "compiler/isolation/serve.h"
#include "compiler/plugin_host/serve.h"
#include "compiler/worker/process.h"
#include "tessera/compile.h"

namespace tessera {

/// Answers about the backends of this compiler; they are made when somebody asks.
static worker::Handler builtinHandler() {
  struct State {
    backend_api::BackendRegistry registry;
    worker::Handler handler;
  };
  return [state = std::make_shared<State>()](worker::Message& message, worker::Channel& channel) {
    if (!state->handler) {
      backend_registry::addBuiltinBackends(state->registry);
      state->handler = isolation::createHandler(state->registry);
    }
    return state->handler(message, channel);
  };
}

int serveWorker() {
  // A terminal sends it to all; whoever started this process decides.
  std::signal(SIGINT, SIG_IGN);
  return worker::serve(
      worker::kChildSocket,
      [builtin = builtinHandler(), cases = conformance::createHandler(),
       plugin = plugin_host::createHandler(),
       trials = driver::createTrialHandler()](worker::Message& message, worker::Channel& channel) {
        if (isolation::isQuestion(message)) return builtin(message, channel);
        if (conformance::isQuestion(message)) return cases(message, channel);
        if (driver::isTrialQuestion(message)) return trials(message, channel);
        return plugin(message, channel);
      });
}

}  // namespace tessera
