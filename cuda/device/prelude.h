// What kernels use of the device, in one spelling for nvcc, for clang without any toolkit header, and for the emulation
// on the CPU that the tests run kernels with. Included first in every kernel file.
//
// Arithmetic is plain C++: the flags that all kernels are built with (QC_KERNEL_FLAGS in cuda/local.mk) make every +,
// -, *, / round to nearest and contract nothing.
#pragma once

#include <cstdint>

#if defined(QC_EMULATE_DEVICE)
#include "emulation/device.h"
#else

#if defined(__CUDA__) && !defined(__CUDACC__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#endif

#define QC_DEVICE __device__ __forceinline__
#if defined(__clang__)
#undef QC_DEVICE
#define QC_DEVICE __device__ inline __attribute__((always_inline))
#endif
// A function that is called and not made part of its callers, for what happens rarely.
#define QC_DEVICE_CALL __device__ __attribute__((noinline))
// A variable of the block.
#define QC_BLOCK_SHARED __shared__
// Before a loop that is to be unrolled in full, so that what it indexes stays in registers.
#define QC_UNROLL _Pragma("unroll")

// A kernel with one argument, `const ARGS& args`, for blocks of THREADS threads. The same name and type are declared as
// a KernelName<ARGS> for the host. The compiler keeps registers few enough for RESIDENT blocks on a multiprocessor.
#define QC_KERNEL_RESIDENT(name, ARGS, THREADS, RESIDENT)                                              \
  static QC_DEVICE void name##_body(const ARGS& args);                                                 \
  extern "C" __global__ __attribute__((launch_bounds(THREADS, RESIDENT))) void name(const ARGS args) { \
    name##_body(args);                                                                                 \
  }                                                                                                    \
  static QC_DEVICE void name##_body(const ARGS& args)
#define QC_KERNEL(name, ARGS, THREADS) QC_KERNEL_RESIDENT(name, ARGS, THREADS, 1)

namespace qc::device {

// ballot(): a bit for each lane of the warp, all of which take part. trailing_zeros(): of a word that is not 0.
#if defined(__clang__)
QC_DEVICE unsigned thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
QC_DEVICE unsigned block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
QC_DEVICE unsigned block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
QC_DEVICE unsigned block_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
QC_DEVICE unsigned grid_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
// Not the intrinsics: LLVM 14 holds that no intrinsic changes a variable whose address is not taken, and moves loads of
// the block's variables across them.
QC_DEVICE void sync_block() { asm volatile("bar.sync 0;" ::: "memory"); }
QC_DEVICE void sync_warp() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
QC_DEVICE uint32_t shuffle_xor_word(uint32_t v, int mask) {
  return static_cast<uint32_t>(__nvvm_shfl_sync_bfly_i32(0xffffffffU, static_cast<int>(v), mask, 0x1f));
}
QC_DEVICE uint32_t shuffle_up_word(uint32_t v, int distance) {
  return static_cast<uint32_t>(__nvvm_shfl_sync_up_i32(0xffffffffU, static_cast<int>(v), distance, 0));
}
QC_DEVICE uint32_t shuffle_word(uint32_t v, int lane) {
  return static_cast<uint32_t>(__nvvm_shfl_sync_idx_i32(0xffffffffU, static_cast<int>(v), lane, 0x1f));
}
QC_DEVICE uint32_t ballot(bool v) { return static_cast<uint32_t>(__nvvm_vote_ballot_sync(0xffffffffU, v)); }
QC_DEVICE int count_ones(uint32_t v) { return __builtin_popcount(v); }
QC_DEVICE int trailing_zeros(uint32_t v) { return __builtin_ctz(v); }
QC_DEVICE float sqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
QC_DEVICE double double_of_words(uint32_t high, uint32_t low) {
  return __nvvm_lohi_i2d(static_cast<int>(low), static_cast<int>(high));
}
QC_DEVICE void atomic_add(uint64_t* p, uint64_t v) { __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
QC_DEVICE void atomic_add(uint32_t* p, uint32_t v) { __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
QC_DEVICE void atomic_or(uint32_t* p, uint32_t v) { __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
#else
QC_DEVICE unsigned thread_x() { return threadIdx.x; }
QC_DEVICE unsigned block_x() { return blockIdx.x; }
QC_DEVICE unsigned block_y() { return blockIdx.y; }
QC_DEVICE unsigned block_z() { return blockIdx.z; }
QC_DEVICE unsigned grid_x() { return gridDim.x; }
QC_DEVICE void sync_block() { __syncthreads(); }
QC_DEVICE void sync_warp() { __syncwarp(); }
QC_DEVICE uint32_t shuffle_xor_word(uint32_t v, int mask) { return __shfl_xor_sync(0xffffffffU, v, mask); }
QC_DEVICE uint32_t shuffle_up_word(uint32_t v, int distance) { return __shfl_up_sync(0xffffffffU, v, distance); }
QC_DEVICE uint32_t shuffle_word(uint32_t v, int lane) { return __shfl_sync(0xffffffffU, v, lane); }
QC_DEVICE uint32_t ballot(bool v) { return __ballot_sync(0xffffffffU, v); }
QC_DEVICE int count_ones(uint32_t v) { return __popc(v); }
QC_DEVICE int trailing_zeros(uint32_t v) { return __ffs(static_cast<int>(v)) - 1; }
QC_DEVICE float sqrt_rn(float x) { return __fsqrt_rn(x); }
QC_DEVICE double double_of_words(uint32_t high, uint32_t low) {
  return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
}
QC_DEVICE void atomic_add(uint64_t* p, uint64_t v) {
  atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v));
}
QC_DEVICE void atomic_add(uint32_t* p, uint32_t v) { atomicAdd(p, v); }
QC_DEVICE void atomic_or(uint32_t* p, uint32_t v) { atomicOr(p, v); }
#endif

QC_DEVICE double sqrt_rn(double x) {
  double root;
  asm("sqrt.rn.f64 %0, %1;" : "=d"(root) : "d"(x));
  return root;
}
// a * b + c, rounded once: for functions that are written with it, on the host too.
QC_DEVICE double fma_rn(double a, double b, double c) {
  double sum;
  asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(sum) : "d"(a), "d"(b), "d"(c));
  return sum;
}

// 1 / sqrt(x) within 2^-22, for x in [1, 2]. Devices differ in the last bits.
QC_DEVICE float reciprocal_root_estimate(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// c + the sum of the four products of the bytes of a and b.
QC_DEVICE uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

// Four of the bytes 0 … 3 of a and 4 … 7 of b, by the hexadecimal digits of `which`.
QC_DEVICE uint32_t select_bytes(uint32_t a, uint32_t b, uint32_t which) {
  uint32_t d;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(which));
  return d;
}

}  // namespace qc::device
#endif

namespace qc::device {

// Values of 4 or 8 bytes from another lane of the warp. All 32 lanes take part.
template <class T>
struct Words {
  static_assert(sizeof(T) % 4 == 0);
  uint32_t word[sizeof(T) / 4];
};

template <class T>
QC_DEVICE T shuffle_xor(T v, int mask) {
  auto w = __builtin_bit_cast(Words<T>, v);
  for (uint32_t& word : w.word) word = shuffle_xor_word(word, mask);
  return __builtin_bit_cast(T, w);
}
template <class T>
QC_DEVICE T shuffle_up(T v, int distance) {
  auto w = __builtin_bit_cast(Words<T>, v);
  for (uint32_t& word : w.word) word = shuffle_up_word(word, distance);
  return __builtin_bit_cast(T, w);
}
template <class T>
QC_DEVICE T shuffle(T v, int lane) {
  auto w = __builtin_bit_cast(Words<T>, v);
  for (uint32_t& word : w.word) word = shuffle_word(word, lane);
  return __builtin_bit_cast(T, w);
}

// Sum over the block's threads, valid in thread 0. `kThreads` is the block's size. All threads take part.
template <int kThreads, class T>
QC_DEVICE T block_sum(T v) {
  static_assert(kThreads % 32 == 0 && kThreads <= 1024);
  QC_BLOCK_SHARED T warp_sums[kThreads / 32];
  for (int mask = 16; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  const unsigned t = thread_x();
  if (t % 32 == 0) warp_sums[t / 32] = v;
  sync_block();
  v = T{};
  if (t == 0)
    for (int w = 0; w < kThreads / 32; ++w) v += warp_sums[w];
  sync_block();
  return v;
}

// 16 bytes, loaded and stored at once.
struct alignas(16) Vector16 {
  uint32_t word[4];
};
QC_DEVICE Vector16 load16(const void* p) { return *static_cast<const Vector16*>(p); }
QC_DEVICE void store16(void* p, const Vector16& v) { *static_cast<Vector16*>(p) = v; }

}  // namespace qc::device
