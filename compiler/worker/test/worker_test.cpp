// Processes that answer, and those that do what a foreign library may do instead. The shell stands
// for the child: its end of the socket is descriptor 3.
#include "compiler/worker/worker.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

namespace tessera::worker {
namespace {

using namespace std::chrono_literals;

Worker shell(const std::string& script, std::chrono::milliseconds timeLimit = 30s) {
  return Worker({.command = {"/bin/sh", "-c", script}, .timeLimit = timeLimit});
}

std::string errorOf(Worker& worker) {
  const auto answer = worker.ask({{"call", "x"}}, {});
  return answer ? "" : answer.error().message;
}

Bytes bytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Gives every message back.
constexpr const char* kEcho = "exec cat <&3 >&3";

TEST(WorkerTest, AMessageComesBackAsItWas) {
  Worker worker = shell(kEcho);
  const std::string large(100'000, 'x');  // Fits into the socket: the echo begins at once.
  const std::vector<Bytes> payloads = {bytesOf(large), {}, bytesOf("tail")};
  for (int i = 0; i < 2; ++i) {
    const auto answer = worker.ask({{"call", "echo"}, {"n", 7U}, {"list", {1, 2}}}, payloads);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(textOf(answer->header, "call"), "echo");
    EXPECT_EQ(numberOf(answer->header, "n"), 7U);
    EXPECT_EQ(listOf(answer->header, "list").size(), 2U);
    ASSERT_EQ(answer->payloads.size(), 3U);
    EXPECT_TRUE(std::ranges::equal(answer->payloads[0], payloads[0]));
    EXPECT_TRUE(answer->payloads[1].empty());
    EXPECT_TRUE(std::ranges::equal(answer->payloads[2], payloads[2]));
  }
  EXPECT_EQ(*worker.start(), 1U) << "one process answers all";
}

TEST(WorkerTest, FieldsOfAnotherTypeAreEmpty) {
  const nlohmann::json object = {{"text", 1}, {"number", "a"}, {"list", "b"}, {"negative", -1}};
  EXPECT_EQ(textOf(object, "text"), "");
  EXPECT_EQ(numberOf(object, "number"), 0U);
  EXPECT_EQ(numberOf(object, "negative"), 0U);
  EXPECT_TRUE(listOf(object, "list").empty());
  EXPECT_EQ(textOf(nlohmann::json::array(), "text"), "");
}

TEST(WorkerTest, TextsAreUtf8WhateverCame) {
  const std::string good = "a \u00e9 \u20ac \U0001f600";
  EXPECT_EQ(validText(good), good);
  EXPECT_EQ(validText("cut \xe2\x82"), "cut ??");
  EXPECT_EQ(validText("\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80 end"), "?????????? end");
  EXPECT_EQ(textOf({{"text", "\xff"}}, "text"), "?");
}

TEST(WorkerTest, ACrashIsSaidAndAnotherProcessStartedUntilTheThird) {
  Worker worker = shell("kill -SEGV $$");
  const std::string crash = "it crashed (signal 11, Segmentation fault)";
  for (uint64_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(*worker.start(), i);
    EXPECT_EQ(errorOf(worker), crash);
  }
  EXPECT_EQ(errorOf(worker), "it was given up after 3 failures, the last one: " + crash);
}

TEST(WorkerTest, NobodyWaitsForAnAnswerThatIsNotWantedAnyMore) {
  bool isCancelled = false;
  Worker worker({.command = {"/bin/sh", "-c", "sleep 60"}, .isCancelled = [&] {
                   return std::exchange(isCancelled, true);  // At the second look.
                 }});
  EXPECT_EQ(errorOf(worker), "it was interrupted");
  EXPECT_FALSE(worker.wasLate());
  EXPECT_EQ(*worker.start(), 2U);
}

TEST(WorkerTest, AnExitIsSaid) {
  Worker worker = shell("exit 7");
  EXPECT_EQ(errorOf(worker), "it ended its process (exit code 7)");
}

TEST(WorkerTest, WhoDoesNotAnswerIsEnded) {
  Worker worker = shell("exec sleep 1000", 200ms);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(errorOf(worker), "it did not answer within 0.2 s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST(WorkerTest, WhoLeftItsGroupIsEnded) {
  Worker worker = shell("exec perl -e 'setpgrp(0, getpgrp(getppid())); sleep 1000'", 500ms);
  EXPECT_EQ(errorOf(worker), "it did not answer within 0.5 s");
}

TEST(WorkerTest, WhoDoesNotReadIsEnded) {
  Worker worker = shell("exec sleep 1000", 200ms);
  const std::string large(50'000'000, 'x');
  const std::vector<Bytes> payloads = {bytesOf(large)};
  const auto answer = worker.ask({}, payloads);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "it did not answer within 0.2 s");
}

TEST(WorkerTest, WhoClosesTheConnectionAndLivesOnIsEnded) {
  Worker worker = shell("exec 3>&-; exec sleep 1000");
  EXPECT_EQ(errorOf(worker), "it closed its connection");
}

TEST(WorkerTest, NoiseIsNoAnswer) {
  Worker worker = shell("echo 'hello, this is no message at all, is it' >&3; exec sleep 1000");
  EXPECT_EQ(errorOf(worker), "it answered with what is no message");
}

TEST(WorkerTest, ClaimedSizesTakeNoMemory) {
  // An object of 1 byte (an empty map), and a payload of 64 GiB of which nothing comes.
  Worker worker = shell(
      "printf "
      "'\\001\\0\\0\\0\\0\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\020\\0\\0\\0\\240' >&3");
  EXPECT_EQ(errorOf(worker), "it ended its process (exit code 0)");
}

/// What is received when the object of a message without payloads is `object`.
Channel::State receivedFrom(const std::string& object) {
  std::array<int, 2> ends = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  Channel channel(ends[0]);
  std::thread writer([&] {
    const std::array<uint64_t, 2> sizes = {object.size(), 0};
    EXPECT_EQ(write(ends[1], sizes.data(), sizeof(sizes)), static_cast<ssize_t>(sizeof(sizes)));
    for (size_t at = 0; at < object.size();) {
      const ssize_t written = write(ends[1], object.data() + at, object.size() - at);
      if (written <= 0) break;
      at += static_cast<size_t>(written);
    }
    close(ends[1]);
  });
  const Channel::State state = channel.receive(kNoDeadline).state;
  writer.join();
  return state;
}

TEST(WorkerTest, ObjectsThatAreNoneAreNoAnswer) {
  const auto whole = nlohmann::json::to_cbor(
      {{"text", "x"}, {"list", {1, -2, 3.5, true, nullptr}}, {"empty", nlohmann::json::object()}});
  const std::string sound(whole.begin(), whole.end());
  EXPECT_EQ(receivedFrom(sound), Channel::State::kDone);
  for (size_t size = 0; size < sound.size(); ++size)
    EXPECT_EQ(receivedFrom(sound.substr(0, size)), Channel::State::kGarbled) << size;
  EXPECT_EQ(receivedFrom(sound + "x"), Channel::State::kGarbled);
  EXPECT_EQ(receivedFrom("\x01"), Channel::State::kGarbled) << "a number is no object";
  const std::string deep = "\xa1\x61x";  // {"x": and so on.
  std::string nested;
  for (int i = 0; i < 1'000'000; ++i) nested += deep;
  EXPECT_EQ(receivedFrom(nested + "\x01"), Channel::State::kGarbled);
  EXPECT_EQ(receivedFrom("\xa1\x61x" + std::string(1'000'000, '\x7f')), Channel::State::kGarbled);
  for (const char* head : {"\x9b", "\xbb", "\x7b", "\x5b"})
    EXPECT_EQ(receivedFrom(std::string("\xa1\x61x") + head + "\x10" + std::string(7, '\0')),
              Channel::State::kGarbled)
        << "more entries or bytes than there can be";
  EXPECT_EQ(receivedFrom("\xa1\x61x\xc1\x01"), Channel::State::kGarbled) << "a tag";
}

/// A number that the script writes to the file.
pid_t pidIn(const std::string& file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  return pid;
}

/// Whether it still runs: who waits for it may be slow.
bool isAlive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string word, state;
  return (stat >> word >> word >> state) && state != "Z" && state != "X";
}

bool endsSoon(pid_t pid) {
  for (int i = 0; i < 2000 && isAlive(pid); ++i) std::this_thread::sleep_for(5ms);
  return !isAlive(pid);
}

TEST(WorkerTest, KilledFromOutsideBetweenTwoQuestionsItTakesNoneWithIt) {
  const std::string file = ::testing::TempDir() + "/worker_test_pid";
  Worker worker = shell("echo $$ > " + file + "; " + kEcho);
  EXPECT_EQ(errorOf(worker), "");
  ASSERT_EQ(kill(pidIn(file), SIGKILL), 0);
  ASSERT_TRUE(endsSoon(pidIn(file)));
  EXPECT_EQ(*worker.start(), 2U);
  EXPECT_EQ(errorOf(worker), "");
  std::filesystem::remove(file);
}

TEST(WorkerTest, KilledBehindTheStartNoOtherAnswersForIt) {
  const std::string file = ::testing::TempDir() + "/worker_test_pid";
  Worker worker = shell("echo $$ > " + file + "; " + kEcho);
  EXPECT_EQ(*worker.start(), 1U);
  EXPECT_EQ(errorOf(worker), "") << "what it is told first, such as a library to load";
  ASSERT_EQ(kill(pidIn(file), SIGKILL), 0);
  ASSERT_TRUE(endsSoon(pidIn(file)));
  EXPECT_EQ(errorOf(worker), "it crashed (signal 9, Killed)");
  EXPECT_EQ(*worker.start(), 2U);
  std::filesystem::remove(file);
}

TEST(WorkerTest, KilledWhileItWorksIsSaid) {
  Worker worker = shell("kill -KILL $$");
  EXPECT_EQ(errorOf(worker), "it crashed (signal 9, Killed)");
}

TEST(WorkerTest, WhatItStartedEndsWithIt) {
  const std::string file = ::testing::TempDir() + "/worker_test_child";
  for (const char* ending : {"exit 7", "exec 3>&-; exec sleep 1000", "exec sleep 1000"}) {
    Worker worker = shell("sleep 1000 3>&- & echo $! > " + file + "; " + ending, 500ms);
    EXPECT_NE(errorOf(worker), "");
    EXPECT_TRUE(endsSoon(pidIn(file))) << ending;
  }
  std::filesystem::remove(file);
}

TEST(WorkerTest, StandardOutputIsNotTheConnection) {
  Worker worker = shell(std::string("echo noise; ") + kEcho);
  EXPECT_EQ(errorOf(worker), "");
}

TEST(WorkerTest, NotesAreNoAnswers) {
  Worker worker = shell(kEcho, 300ms);
  size_t notes = 0;
  const auto answer = worker.ask({{"note", "log"}}, {}, [&](const Message& message) {
    EXPECT_EQ(textOf(message.header, "note"), "log");
    ++notes;
  });
  EXPECT_FALSE(answer);
  EXPECT_EQ(notes, 1U);
}

TEST(WorkerTest, NotesWithoutEndAreEnded) {
  const std::string file = ::testing::TempDir() + "/worker_test_note";
  Worker worker =
      shell("timeout 0.3 cat <&3 > " + file + "; while cat " + file + " >&3; do :; done", 1s);
  size_t notes = 0;
  const auto answer = worker.ask({{"note", "log"}}, {}, [&](const Message&) { ++notes; });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "it did not answer within 1 s");
  EXPECT_GT(notes, 1U);
  std::filesystem::remove(file);
}

TEST(WorkerTest, AProgramThatIsNotThereIsSaid) {
  Worker worker({.command = {"/no/such/program"}});
  EXPECT_EQ(errorOf(worker), "cannot start /no/such/program: No such file or directory");
}

TEST(WorkerTest, ARejectedAnswerCountsAsAFailure) {
  Worker worker = shell(kEcho);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(errorOf(worker), "");
    EXPECT_EQ(worker.reject("it answered nonsense").message, "it answered nonsense");
  }
  EXPECT_EQ(errorOf(worker),
            "it was given up after 3 failures, the last one: it answered nonsense");
}

}  // namespace
}  // namespace tessera::worker
