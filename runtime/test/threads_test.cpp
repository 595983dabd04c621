// Many threads, one executable, a context each; kernels that run in parallel themselves. Meant for
// ThreadSanitizer.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "artifact/test/test_bundles.h"
#include "runtime/backend/parallel_for.h"
#include "runtime/test/runtime_fixture.h"

#if !defined(__has_feature)  // Clang's.
#define __has_feature(feature) 0
#endif

namespace tessera::runtime::test {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 50;

TEST(ThreadsTest, ContextsOfOneExecutableRunAtOnce) {
  const Executable executable = mustLoad(artifact::test::staticBundle(kernelCode()));
  std::array<int, kThreads> wrong = {};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Context context = mustCreate(executable);
      std::vector<float> x(16);
      const std::vector<int64_t> shape = {2, 8};
      for (int round = 0; round < kRounds; ++round) {
        std::iota(x.begin(), x.end(), static_cast<float>(thread * 1000 + round));
        const bool ok = context.setInput(0, ElementType::kF32, shape, x.data()).has_value() &&
                        context.run().has_value();
        const std::vector<float> y = valuesOf<float>(*context.output(0));
        for (size_t i = 0; i < x.size(); ++i) {
          if (!ok || y[i] != 2 * (x[i] + static_cast<float>(i)))
            ++wrong[static_cast<size_t>(thread)];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

/// Helpers are bound, or not, without the thread that asked for them: to all cores or to one.
TEST(ThreadsTest, TheCallersAffinityIsLeftAlone) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  for (const cpu_set_t& before : {all, one}) {
    std::thread([&] {
      cpu_set_t after;
      ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
      std::atomic<int64_t> sum = 0;
      tessera_parallel_for(
          1000, 8,
          [](void* total, int64_t begin, int64_t end) {
            *static_cast<std::atomic<int64_t>*>(total) += end - begin;
          },
          &sum);
      EXPECT_EQ(sum, 1000);
      ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
      EXPECT_TRUE(CPU_EQUAL(&before, &after));
    }).join();
  }
}

TEST(ThreadsTest, DynamicContextsRunAtOnce) {
  const Executable executable = mustLoad(artifact::test::dynamicBundle(kernelCode()));
  std::array<int, kThreads> wrong = {};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Context context = mustCreate(executable);
      for (int round = 1; round < kRounds; ++round) {
        std::vector<float> x(static_cast<size_t>(round) * 3, static_cast<float>(thread));
        const std::vector<int64_t> shape = {round, 3};
        const bool ok = context.setInput(0, ElementType::kF32, shape, x.data()).has_value() &&
                        context.run().has_value();
        const std::vector<float> y = valuesOf<float>(*context.output(0));
        if (!ok || y != std::vector<float>(x.size(), 2 * static_cast<float>(thread)))
          ++wrong[static_cast<size_t>(thread)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST(ThreadsTest, ParallelKernelsInManyCallers) {
  const Executable executable =
      mustLoad(oneKernel("increment4096", {input({4096})}, {output({4096})}));
  std::array<int, kThreads> wrong = {};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Context context = mustCreate(executable, 1 + thread % 3);
      const std::vector<float> x(4096, static_cast<float>(thread));
      const std::vector<int64_t> shape = {4096};
      for (int round = 0; round < kRounds; ++round) {
        const bool ok = context.setInput(0, ElementType::kF32, shape, x.data()).has_value() &&
                        context.run().has_value();
        for (const float y : valuesOf<float>(*context.output(0))) {
          if (!ok || y != x[0] + 1) ++wrong[static_cast<size_t>(thread)];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

/// Counts how often each index is visited.
struct Visits {
  std::vector<int> counts;
  static void visit(void* context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++static_cast<Visits*>(context)->counts[static_cast<size_t>(i)];
  }
};

TEST(ParallelForTest, VisitsEveryIndexOnce) {
  for (const int64_t n : {0, 1, 2, 3, 7, 1000}) {
    for (const int32_t threads : {1, 2, 3, 8}) {
      Visits visits{std::vector<int>(static_cast<size_t>(n), 0)};
      parallelFor(n, threads, Visits::visit, &visits);
      EXPECT_EQ(visits.counts, std::vector<int>(static_cast<size_t>(n), 1))
          << n << " in " << threads;
    }
  }
}

/// Waits, for up to ten seconds, until as many threads are at work as were asked for.
struct Meeting {
  int32_t expected;
  std::atomic<int32_t> arrived{0};
  std::atomic<uint64_t> numbers{0};
  std::atomic<int32_t> ranges{0};

  static void join(void* context, int64_t /*begin*/, int64_t /*end*/) {
    auto& self = *static_cast<Meeting*>(context);
    self.ranges.fetch_add(1);
    const uint64_t bit = uint64_t{1} << slotOfThread();
    if ((self.numbers.fetch_or(bit) & bit) == 0) self.arrived.fetch_add(1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (self.arrived.load() < self.expected && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  }
};

TEST(ParallelForTest, ThreadsHaveNumbersOfTheirOwn) {
  const int32_t threads = std::min(availableCores(), 8);
  Meeting meeting{.expected = threads};
  parallelFor(1000, threads, Meeting::join, &meeting);
  const uint64_t all = (uint64_t{1} << threads) - 1;
  EXPECT_EQ(meeting.numbers.load(), threads > 1 ? all << 1 : all);
  EXPECT_EQ(slotOfThread(), 0);
}

TEST(ParallelForTest, HasAtMostFourRangesForAThread) {
  for (const int64_t n : {2, 7, 9, 31, 1000, 1001}) {
    Meeting meeting{.expected = 0};
    parallelFor(n, 2, Meeting::join, &meeting);
    EXPECT_LE(meeting.ranges.load(), 8) << n;
  }
}

TEST(ParallelForTest, NobodyWaitsForHelpersOfOthers) {
  // One call keeps itself and all helpers busy until another, by this thread, has ended.
  Meeting held{.expected = availableCores() + 1};
  const int32_t most = std::min(availableCores(), 32);
  std::thread other([&] { parallelFor(1000, most, Meeting::join, &held); });
  while (held.arrived.load() < most) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  Visits visits{std::vector<int>(1000, 0)};
  parallelFor(1000, 2, Visits::visit, &visits);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(visits.counts, std::vector<int>(1000, 1));
  held.arrived += held.expected;
  other.join();
}

TEST(ParallelForTest, OneThreadRunsInTheCaller) {
  Meeting meeting{.expected = 1};
  parallelFor(8, 1, Meeting::join, &meeting);
  EXPECT_EQ(meeting.ranges.load(), 1);
  EXPECT_EQ(meeting.numbers.load(), 1U);
}

TEST(ParallelForTest, WholeRunsInsideOfBodies) {
  const Executable executable =
      mustLoad(oneKernel("increment4096", {input({4096})}, {output({4096})}));
  struct Runs {
    const Executable& executable;
    std::array<std::atomic<bool>, 16> areRight = {};
    static void run(void* context, int64_t begin, int64_t end) {
      auto& self = *static_cast<Runs*>(context);
      for (int64_t i = begin; i < end; ++i) {
        Context own = mustCreate(self.executable, 1 + static_cast<int>(i % 3));
        const std::vector<float> x(4096, static_cast<float>(i));
        const std::vector<int64_t> shape = {4096};
        const int32_t slot = slotOfThread();
        bool ok = own.setInput(0, ElementType::kF32, shape, x.data()).has_value() &&
                  own.run().has_value() && slotOfThread() == slot;
        for (const float y : valuesOf<float>(*own.output(0))) ok &= y == x[0] + 1;
        self.areRight[static_cast<size_t>(i)] = ok;
      }
    }
  };
  Runs runs{.executable = executable};
  parallelFor(16, availableCores(), Runs::run, &runs);
  for (const auto& isRight : runs.areRight) EXPECT_TRUE(isRight.load());
}

TEST(ParallelForTest, GoesOnInAForkedChild) {
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
#endif
  Visits visits{std::vector<int>(1000, 0)};
  parallelFor(1000, 2, Visits::visit, &visits);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    parallelFor(1000, 2, Visits::visit, &visits);
    _exit(visits.counts == std::vector<int>(1000, 2) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tessera::runtime::test
