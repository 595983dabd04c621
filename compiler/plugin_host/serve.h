// The worker's side: answers questions about plugins.
#pragma once

namespace tessera::plugin_host {

/// Answers what comes over the socket until its other end is closed; an exit code. Questions and
/// answers are those of remote.h.
int serve(int socket);

}  // namespace tessera::plugin_host
