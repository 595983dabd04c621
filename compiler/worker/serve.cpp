#include "compiler/worker/serve.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

namespace tessera::worker {

/// What never comes back must not outlive who asked.
static void endWithTheOtherEnd(int socket) {
  std::thread([socket] {
    pollfd poll = {.fd = socket, .events = POLLRDHUP, .revents = 0};
    while (::poll(&poll, 1, -1) < 0) {
    }
    constexpr auto kGrace = std::chrono::seconds(1);  // Who is idle ends by itself.
    std::this_thread::sleep_for(kGrace);
    if (getpgrp() == getpid()) kill(0, SIGKILL);  // With what it started.
    _exit(1);
  }).detach();
}

static int answerAll(Channel channel, const Handler& handler) {
  while (true) {
    Channel::Received received = channel.receive(kNoDeadline);
    if (received.state == Channel::State::kClosed) return 0;
    if (received.state != Channel::State::kDone) return 1;
    const Answer answer = handler(received.message, channel);
    const std::vector<Bytes> payloads(answer.payloads.begin(), answer.payloads.end());
    if (channel.send(answer.header, payloads, kNoDeadline) != Channel::State::kDone) return 1;
  }
}

int serve(int socket, const Handler& handler) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fprintf(stderr, "error: tessera worker is started by tessera itself\n");
    return 2;
  }
  // What the process starts must not keep the connection open when it is gone.
  (void)fcntl(socket, F_SETFD, FD_CLOEXEC);
  endWithTheOtherEnd(socket);
  return answerAll(Channel(socket), handler);
}

}  // namespace tessera::worker
