// The loop of a worker process.
#pragma once

#include <functional>

#include "compiler/worker/channel.h"

namespace tessera::worker {

/// What is sent back.
struct Answer {
  nlohmann::json header = nlohmann::json::object();
  std::vector<std::vector<std::byte>> payloads = {};
};

/// An answer that says why there is none; whoever asked finds "failed" in the header.
inline Answer failed(const std::string& why) { return {.header = {{"failed", why}}}; }

/// Answers one question. Notes may go through the channel meanwhile.
using Handler = std::function<Answer(Message& question, Channel& channel)>;

/// Answers what comes over the socket until its other end is closed; an exit code. Ends the process
/// when that happens in the middle of an answer.
int serve(int socket, const Handler& handler);

}  // namespace tessera::worker
