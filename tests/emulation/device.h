// Kernels as host code: the threads of a block are fibers on one processor core, which take turns at barriers and
// shuffles. The part of cuda/device/prelude.h that differs from compiler to compiler.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define QC_DEVICE inline
#define QC_DEVICE_CALL inline
#define QC_BLOCK_SHARED static
#define QC_UNROLL

#define QC_KERNEL(name, ARGS, THREADS)                                                                       \
  static void name##_body(const ARGS& args);                                                                 \
  static const qc::device::emulation::Registration name##_registration(                                      \
      #name, sizeof(ARGS), THREADS, [](const void* args) { name##_body(*static_cast<const ARGS*>(args)); }); \
  static void name##_body(const ARGS& args)

#define QC_KERNEL_RESIDENT(name, ARGS, THREADS, RESIDENT) QC_KERNEL(name, ARGS, THREADS)

namespace qc::device {

namespace emulation {

struct Registration {
  Registration(const char* name, size_t args_bytes, int threads, void (*body)(const void*));
  const char* name;
  size_t args_bytes;
  int threads;
  void (*body)(const void*);
  const Registration* next;
};

// Of the running thread.
struct Index {
  unsigned thread;
  unsigned block[3];
  unsigned grid_x;
};
const Index& index();
void barrier();
void warp_barrier();
// Deposits `v` and returns what lane `lane` of the warp deposited.
uint32_t exchange(uint32_t v, unsigned lane);
// A bit for each lane of the warp.
uint32_t ballot(bool v);

}  // namespace emulation

inline unsigned thread_x() { return emulation::index().thread; }
inline unsigned block_x() { return emulation::index().block[0]; }
inline unsigned block_y() { return emulation::index().block[1]; }
inline unsigned block_z() { return emulation::index().block[2]; }
inline unsigned grid_x() { return emulation::index().grid_x; }
inline void sync_block() { emulation::barrier(); }
inline void sync_warp() { emulation::warp_barrier(); }
inline uint32_t shuffle_xor_word(uint32_t v, int mask) {
  return emulation::exchange(v, (thread_x() % 32) ^ static_cast<unsigned>(mask));
}
inline uint32_t shuffle_up_word(uint32_t v, int distance) {
  const unsigned lane = thread_x() % 32;
  return emulation::exchange(v,
                             lane >= static_cast<unsigned>(distance) ? lane - static_cast<unsigned>(distance) : lane);
}
inline uint32_t shuffle_word(uint32_t v, int lane) { return emulation::exchange(v, static_cast<unsigned>(lane)); }
inline uint32_t ballot(bool v) { return emulation::ballot(v); }
inline int count_ones(uint32_t v) { return __builtin_popcount(v); }
inline int trailing_zeros(uint32_t v) { return __builtin_ctz(v); }
inline float sqrt_rn(float x) { return std::sqrt(x); }
inline double sqrt_rn(double x) { return std::sqrt(x); }
inline double fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float reciprocal_root_estimate(float x) { return 1.0F / std::sqrt(x); }
inline double double_of_words(uint32_t high, uint32_t low) {
  return __builtin_bit_cast(double, static_cast<uint64_t>(high) << 32 | low);
}
inline void atomic_add(uint64_t* p, uint64_t v) { *p += v; }
inline void atomic_add(uint32_t* p, uint32_t v) { *p += v; }
inline void atomic_or(uint32_t* p, uint32_t v) { *p |= v; }
inline uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i < 32; i += 8) c += ((a >> i) & 255) * ((b >> i) & 255);
  return c;
}
inline uint32_t select_bytes(uint32_t a, uint32_t b, uint32_t which) {
  const uint64_t both = uint64_t{b} << 32 | a;
  uint32_t d = 0;
  for (int i = 0; i < 4; ++i) d |= static_cast<uint32_t>(both >> (8 * (which >> (4 * i) & 7)) & 255) << (8 * i);
  return d;
}

}  // namespace qc::device
