// A job is open from when its fields are set (release) until its caller closes it; who enters
// counts itself in `state` and sees them (acquire), who leaves counts itself out (release), and the
// caller waits for the count to be 0 (acquire): leaving is one sequence of changes of `state`, so
// it sees what all of them wrote. Sleeping: a helper counts itself in `numSleepers_` and then
// sleeps while `epoch_` is as it was before it looked for jobs; a caller changes `epoch_` and then
// looks at `numSleepers_`. Both are in the one order of all such operations, so one of them sees
// the other.
#include "runtime/backend/thread_pool.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace tessera::runtime {
using Clock = std::chrono::steady_clock;

/// Of a thread's share, at most. Measured on two threads beside a busy process: 1 piece is 5 %
/// slower than 4 on bert_base, 8 are no better; alone there is no difference.
static constexpr int64_t kPieces = 4;
/// How long helpers look for the next job and callers for the end of theirs before they sleep. The
/// next region of a network follows within microseconds; who spins for longer takes time from
/// others.
static constexpr auto kHelperSpin = std::chrono::microseconds(50);
static constexpr auto kCallerSpin = std::chrono::microseconds(20);
/// Turns between looks at the clock, at each of which whoever else wants the core has it.
static constexpr int kTurns = 64;

static thread_local int32_t currentSlotOfThread = 0;

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Whether `isDone` came true in the time.
template <typename Predicate>
static bool spin(Clock::duration time, Predicate isDone) {
  const auto end = Clock::now() + time;
  do {
    for (int turn = 0; turn < kTurns; ++turn) {
      if (isDone()) return true;
      relax();
    }
    sched_yield();
  } while (Clock::now() < end);
  return false;
}

static void sleepWhile(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

static void wake(std::atomic<uint32_t>& word, int32_t count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// Helpers run this library's code until the process ends, so it is not unloaded.
static void keepLibraryLoaded() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&keepLibraryLoaded), &info) != 0)
    (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/// The cores that the process may use: a caller may have bound itself to fewer, and helpers are for
/// all.
static cpu_set_t coresOfProcess() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(getpid(), sizeof(set), &set) != 0) CPU_SET(0, &set);
  return set;
}

static int32_t numCoresOfProcess() {
  const cpu_set_t set = coresOfProcess();
  return std::max(1, CPU_COUNT(&set));
}

// Set once the pool is there, for a fork that comes before.
static std::atomic<ThreadPool*> madePool{nullptr};

ThreadPool& ThreadPool::get() {
  static ThreadPool& pool = [] -> ThreadPool& {
    auto* made = new ThreadPool;
    madePool.store(made);
    // A forked child has none of the helpers; it starts its own.
    pthread_atfork(nullptr, nullptr, [] { madePool.load()->reset(); });
    return *made;
  }();
  return pool;
}

ThreadPool::ThreadPool() : mostThreads_(numCoresOfProcess()) {
  for (Job& job : jobs_) job.shares = std::vector<Share>(static_cast<size_t>(mostThreads_));
}

void ThreadPool::reset() {
  for (Job& job : jobs_) {
    job.isOwned = false;
    job.state = kClosed;
  }
  numHelpers_ = numWanted_ = numSleepers_ = 0;
}

int32_t ThreadPool::currentSlot() { return currentSlotOfThread; }

ThreadPool::Job* ThreadPool::ownJob() {
  for (size_t i = 0; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    if (job.isOwned.load(std::memory_order_relaxed) ||
        job.isOwned.exchange(true, std::memory_order_acquire))
      continue;
    const auto used = static_cast<int32_t>(i) + 1;
    int32_t known = numJobs_.load();
    while (known < used && !numJobs_.compare_exchange_weak(known, used)) {
    }
    return &job;
  }
  return nullptr;
}

/// Takes pieces until there are none: of its own share first, then of those that follow.
void ThreadPool::work(Job& job, int32_t thread) {
  currentSlotOfThread = thread + 1;
  for (int32_t i = 0; i < job.numShares; ++i) {
    Share& share = job.shares[static_cast<size_t>((thread + i) % job.numShares)];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      const int64_t begin = share.next.fetch_add(job.piece, std::memory_order_relaxed);
      if (begin >= share.end) break;
      job.body(job.context, begin, std::min(share.end, begin + job.piece));
    }
  }
  currentSlotOfThread = 0;
}

void ThreadPool::helpWith(Job& job, int32_t helper) {
  uint32_t state = job.state.load(std::memory_order_relaxed);
  do {
    if ((state & kClosed) != 0) return;
  } while (!job.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                            std::memory_order_relaxed));
  const int32_t others = job.numShares - 1;
  for (int32_t i = 0; i < others; ++i) {
    const int32_t thread = 1 + (helper + i) % others;
    if (job.shares[static_cast<size_t>(thread)].isTaken.exchange(true, std::memory_order_relaxed))
      continue;
    work(job, thread);
    break;
  }
  if (job.state.fetch_sub(1, std::memory_order_release) == (kClosed | kIsAwaited | 1U))
    wake(job.state, 1);
}

void ThreadPool::helpForever(int32_t helper) {
  for (;;) {
    const uint32_t epoch = epoch_.load(std::memory_order_acquire);
    const auto jobs = static_cast<size_t>(numJobs_.load(std::memory_order_relaxed));
    for (size_t i = 0; i < jobs; ++i) helpWith(jobs_[i], helper);
    if (spin(kHelperSpin, [&] { return epoch_.load(std::memory_order_relaxed) != epoch; }))
      continue;
    numSleepers_.fetch_add(1);
    sleepWhile(epoch_, epoch);
    numSleepers_.fetch_sub(1);
  }
}

/// Starts those that the open jobs have room for and the machine has cores for. Where the system
/// gives no thread, callers work with those that there are.
void ThreadPool::addHelpers() {
  const int32_t wanted = numWanted_.load(std::memory_order_relaxed);
  int32_t existing = numHelpers_.load(std::memory_order_relaxed);
  while (existing < std::min(wanted, mostThreads_ - 1)) {
    if (!numHelpers_.compare_exchange_weak(existing, existing + 1)) continue;
    if (existing == 0) keepLibraryLoaded();
    // Signals are for the threads of the application, but for those that say what a thread did.
    sigset_t others;
    sigset_t before;
    sigfillset(&others);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF})
      sigdelset(&others, own);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    const cpu_set_t cores = coresOfProcess();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setaffinity_np(&attributes, sizeof(cores), &cores);
    pthread_t thread;
    const auto start = [](void* number) -> void* {
      get().helpForever(static_cast<int32_t>(reinterpret_cast<intptr_t>(number)));
    };
    const bool isStarted = pthread_create(&thread, &attributes, start,
                                          reinterpret_cast<void*>(intptr_t{existing})) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!isStarted) {
      numHelpers_.fetch_sub(1);
      return;
    }
    ++existing;
  }
}

/// As many as the open jobs have room for beside those that are awake.
void ThreadPool::wakeHelpers() {
  epoch_.fetch_add(1);
  const int32_t sleepers = numSleepers_.load();
  if (sleepers == 0) return;
  const int32_t missing = numWanted_.load() - (numHelpers_.load() - sleepers);
  if (missing > 0) wake(epoch_, missing);
}

/// Waits until no helper is inside of the job, which is closed.
void ThreadPool::awaitHelpers(Job& job) {
  const auto isEmpty = [&] { return job.state.load(std::memory_order_acquire) == kClosed; };
  if (isEmpty() || spin(kCallerSpin, isEmpty)) return;
  uint32_t state = job.state.fetch_or(kIsAwaited, std::memory_order_acquire) | kIsAwaited;
  while (state != (kClosed | kIsAwaited)) {
    sleepWhile(job.state, state);
    state = job.state.load(std::memory_order_acquire);
  }
  job.state.store(kClosed, std::memory_order_relaxed);
}

void ThreadPool::run(int64_t n, int32_t numThreads, ParallelBody body, void* context) {
  Job* job = ownJob();
  if (job == nullptr) {
    body(context, 0, n);
    return;
  }
  const auto shares =
      static_cast<int32_t>(std::min<int64_t>({n, int64_t{numThreads}, int64_t{mostThreads_}}));
  job->numShares = shares;
  job->piece = (n + shares * kPieces - 1) / (shares * kPieces);
  job->body = body;
  job->context = context;
  for (int64_t i = 0; i < shares; ++i) {
    Share& share = job->shares[static_cast<size_t>(i)];
    share.next.store(n / shares * i + std::min(i, n % shares), std::memory_order_relaxed);
    share.end = n / shares * (i + 1) + std::min(i + 1, n % shares);
    share.isTaken.store(false, std::memory_order_relaxed);
  }
  numWanted_.fetch_add(shares - 1, std::memory_order_relaxed);
  addHelpers();
  job->state.fetch_and(~kClosed, std::memory_order_release);
  wakeHelpers();
  work(*job, 0);
  job->state.fetch_or(kClosed, std::memory_order_relaxed);
  numWanted_.fetch_sub(shares - 1, std::memory_order_relaxed);
  awaitHelpers(*job);  // Who was inside left with a release of what it wrote.
  job->isOwned.store(false, std::memory_order_release);
}

}  // namespace tessera::runtime
