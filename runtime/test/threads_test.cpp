// Many threads, one executable, a context each; kernels that run in parallel themselves. Meant for
// ThreadSanitizer.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>

#include "artifact/test/test_bundles.h"
#include "runtime/backend/parallel_for.h"
#include "runtime/test/runtime_fixture.h"

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

struct Callers {
  std::array<std::thread::id, 8> ids;
  static void note(void* context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      static_cast<Callers*>(context)->ids[static_cast<size_t>(i)] = std::this_thread::get_id();
    }
  }
};

TEST(ParallelForTest, SplitsOverThreadsInOrder) {
  Callers callers = {};
  parallelFor(8, 2, Callers::note, &callers);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(callers.ids[i], std::this_thread::get_id());
  for (size_t i = 4; i < 8; ++i) EXPECT_NE(callers.ids[i], std::this_thread::get_id());
}

TEST(ParallelForTest, OneThreadRunsInTheCaller) {
  Callers callers = {};
  parallelFor(8, 1, Callers::note, &callers);
  for (const std::thread::id id : callers.ids) EXPECT_EQ(id, std::this_thread::get_id());
}

}  // namespace
}  // namespace tessera::runtime::test
