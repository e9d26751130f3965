// Runs one block after the other; the threads of a block are fibers.
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "emulation/launch.h"

namespace qc::device::emulation {
namespace {

const Registration* registered = nullptr;

constexpr size_t kStackBytes = 128 * 1024;
constexpr unsigned kWarp = 32;

enum class State { Ready, AtWarp, AtBlock, Done };

struct Fiber {
  ucontext_t context;
  std::unique_ptr<std::byte[]> stack;
  State state;
  Index index;
  unsigned exchanges;   // so far
  uint32_t deposit[2];  // alternating, so that a fast lane does not overwrite what a slow one has yet to read
};

struct Running {
  std::vector<std::unique_ptr<Fiber>> fibers;
  ucontext_t scheduler;
  unsigned current;
  unsigned threads;
  void (*body)(const void*);
  const void* args;
};
Running running;

void entry() {
  running.body(running.args);
  running.fibers[running.current]->state = State::Done;
}

void wait_as(State state) {
  Fiber& fiber = *running.fibers[running.current];
  fiber.state = state;
  swapcontext(&fiber.context, &running.scheduler);
}

void fail(const char* name, const char* what) {
  std::fprintf(stderr, "kernel %s: %s\n", name, what);
  std::abort();
}

void run_block(const Registration& kernel, bool backwards) {
  const unsigned n = running.threads;
  for (;;) {
    for (unsigned i = 0; i < n; ++i) {
      running.current = backwards ? n - 1 - i : i;
      Fiber& fiber = *running.fibers[running.current];
      if (fiber.state == State::Ready) swapcontext(&running.scheduler, &fiber.context);
    }
    unsigned done = 0;
    unsigned at_block = 0;
    bool progress = false;
    for (unsigned w = 0; w < n; w += kWarp) {
      unsigned at_warp = 0;
      unsigned warp_done = 0;
      for (unsigned i = w; i < w + kWarp; ++i) {
        at_warp += running.fibers[i]->state == State::AtWarp;
        warp_done += running.fibers[i]->state == State::Done;
        at_block += running.fibers[i]->state == State::AtBlock;
      }
      done += warp_done;
      if (at_warp && warp_done) fail(kernel.name, "a lane has ended before a warp operation");
      if (at_warp == kWarp) {
        for (unsigned i = w; i < w + kWarp; ++i) running.fibers[i]->state = State::Ready;
        progress = true;
      }
    }
    if (done == n) return;
    if (at_block + done == n) {
      for (unsigned i = 0; i < n; ++i)
        if (running.fibers[i]->state == State::AtBlock) running.fibers[i]->state = State::Ready;
      progress = true;
    }
    if (!progress) fail(kernel.name, "threads wait for each other at different barriers");
  }
}

}  // namespace

Registration::Registration(const char* n, size_t bytes, int t, void (*b)(const void*))
    : name(n), args_bytes(bytes), threads(t), body(b), next(registered) {
  registered = this;
}

const Registration* find_kernel(const char* name) {
  for (const Registration* r = registered; r; r = r->next)
    if (std::strcmp(r->name, name) == 0) return r;
  return nullptr;
}

const Index& index() { return running.fibers[running.current]->index; }

void barrier() { wait_as(State::AtBlock); }

void warp_barrier() { wait_as(State::AtWarp); }

uint32_t exchange(uint32_t v, unsigned lane) {
  Fiber& fiber = *running.fibers[running.current];
  const unsigned turn = fiber.exchanges++ % 2;
  fiber.deposit[turn] = v;
  wait_as(State::AtWarp);
  return running.fibers[running.current / kWarp * kWarp + lane]->deposit[turn];
}

uint32_t ballot(bool v) {
  Fiber& fiber = *running.fibers[running.current];
  const unsigned turn = fiber.exchanges++ % 2;
  fiber.deposit[turn] = v;
  wait_as(State::AtWarp);
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < kWarp; ++lane)
    bits |= running.fibers[running.current / kWarp * kWarp + lane]->deposit[turn] << lane;
  return bits;
}

void launch(const Registration& kernel, const unsigned grid[3], unsigned threads, const void* args) {
  if (threads != static_cast<unsigned>(kernel.threads)) fail(kernel.name, "launched with another number of threads");
  running.threads = threads;
  running.body = kernel.body;
  running.args = args;
  while (running.fibers.size() < threads) {
    running.fibers.push_back(std::make_unique<Fiber>());
    running.fibers.back()->stack = std::make_unique<std::byte[]>(kStackBytes);
  }
  bool backwards = false;
  for (unsigned z = 0; z < grid[2]; ++z)
    for (unsigned y = 0; y < grid[1]; ++y)
      for (unsigned x = 0; x < grid[0]; ++x) {
        for (unsigned t = 0; t < threads; ++t) {
          Fiber& fiber = *running.fibers[t];
          getcontext(&fiber.context);
          fiber.context.uc_stack.ss_sp = fiber.stack.get();
          fiber.context.uc_stack.ss_size = kStackBytes;
          fiber.context.uc_link = &running.scheduler;
          makecontext(&fiber.context, entry, 0);
          fiber.state = State::Ready;
          fiber.index = {t, {x, y, z}, grid[0]};
          fiber.exchanges = 0;
        }
        run_block(kernel, backwards);
        backwards = !backwards;
      }
}

}  // namespace qc::device::emulation
