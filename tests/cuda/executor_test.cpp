// The CUDA path of sessions, on the stand-in for the driver in tests/emulation: order, contexts, failures of every
// call, and that everything is given back.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// Last of the system's, for cmocka.h needs what stands before it.
// clang-format off
extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
}
// clang-format on

#include "cuda/driver/objects.h"
#include "parity/frames.h"
#include "qualitycuda.h"

namespace {

namespace cuda = qc::cuda;
using qc::parity::Picture;
using qc::parity::Plan;
using qc::parity::Random;

long (*live_objects)();
long (*current_contexts)();
void* (*make_context)(int device);

constexpr const char* kFeatures = "name=psnr|name=float_ssim:scale=1|name=float_ansnr|name=float_ms_ssim";
constexpr int kFrames = 5;

struct Scores {
  QCStatus status = QC_OK;
  std::string error;
  std::vector<std::vector<double>> frames;
  int released = 0;
};

Plan plan(int side) {
  Random random(3);
  return qc::parity::draw_plan(random, side, side, {8});
}

// The failure that is to come: at the library's call number `at`, of which `passed` were made before the last
// Uncounted.
struct PlannedFailure {
  long at = 0;
  long passed = 0;
  cuda::abi::Result result = cuda::abi::kSuccess;

  void start(long call, cuda::abi::Result r) {
    *this = {call, 0, r};
    cuda::inject_failure(at, result);
  }
  bool reached() const { return passed + cuda::checked_calls() >= at; }
  void stop() { start(0, cuda::abi::kSuccess); }
};
PlannedFailure planned;

// Calls that the test itself makes while this lives neither fail nor count.
struct Uncounted {
  Uncounted() {
    planned.passed += cuda::checked_calls();
    cuda::inject_failure(0, cuda::abi::kSuccess);
  }
  ~Uncounted() { cuda::inject_failure(planned.at > planned.passed ? planned.at - planned.passed : 0, planned.result); }
};

// Device pictures of one context, filled on a stream of their own.
struct Sender {
  void* context;
  cuda::Stream stream;
  std::vector<cuda::DeviceBuffer> buffers;
  std::vector<Picture> pictures;

  explicit Sender(void* c) : context(c) {
    const cuda::ContextScope scope(static_cast<cuda::abi::Context>(context));
    stream = cuda::Stream::create();
  }
  QCFrame send(const Picture& picture) {
    const Uncounted uncounted;
    const cuda::ContextScope scope(static_cast<cuda::abi::Context>(context));
    pictures.push_back(picture);
    const Picture& p = pictures.back();
    buffers.push_back(cuda::DeviceBuffer::allocate(p.memory.size()));
    // The copy runs when somebody waits for the stream: long after this call.
    cuda::driver().cuMemcpyHtoDAsync(buffers.back().get(), p.memory.data(), p.memory.size(), stream.get());
    QCFrame frame{};
    for (int i = 0; i < p.planes; ++i) {
      frame.data[i] = reinterpret_cast<const void*>(buffers.back().get() + p.offset[i]);
      frame.stride[i] = static_cast<ptrdiff_t>(p.stride[i]);
    }
    return frame;
  }
};

QCFrame host_frame(const Picture& p) {
  QCFrame frame{};
  for (int i = 0; i < p.planes; ++i) {
    frame.data[i] = p.memory.data() + p.offset[i];
    frame.stride[i] = static_cast<ptrdiff_t>(p.stride[i]);
  }
  return frame;
}

struct Options {
  const char* backend = "cuda";
  const char* features = kFeatures;
  int frames = kFrames;
  bool flush = true;
  int side = 176;  // luma samples
};

// Scores of a short stream. With senders, its pictures are in device memory.
Scores score(const Options& options, Sender* reference = nullptr, Sender* distorted = nullptr) {
  Scores scores;
  const Plan p = plan(options.side);
  QCContext* ctx = nullptr;
  assert_int_equal(qc_create(&ctx), QC_OK);
  assert_int_equal(qc_set(ctx, "feature", options.features), QC_OK);
  if (!reference) assert_int_equal(qc_set(ctx, "backend", options.backend), QC_OK);
  QCDevice device{};
  if (reference) device = {reference->context, reference->stream.get(), distorted->context, distorted->stream.get()};
  scores.status = qc_open(ctx, &p.reference, &p.distorted, reference ? &device : nullptr);
  const auto receive = [&] {
    QCResult result;
    while ((scores.status = qc_receive(ctx, &result)) == QC_OK)
      scores.frames.emplace_back(result.values, result.values + result.count);
  };
  Random random(5);
  std::vector<Picture> kept(static_cast<size_t>(2 * options.frames));
  for (int i = 0; i < options.frames && scores.status >= 0; ++i) {
    Picture& r = kept[static_cast<size_t>(2 * i)];
    Picture& d = kept[static_cast<size_t>(2 * i) + 1];
    qc::parity::draw_pair(random, p, r, d);
    QCPair pair{};
    pair.reference = reference ? reference->send(r) : host_frame(r);
    pair.distorted = distorted ? distorted->send(d) : host_frame(d);
    pair.release = [](void* count) { ++*static_cast<int*>(count); };
    pair.release_opaque = &scores.released;
    while ((scores.status = qc_send(ctx, &pair)) == QC_AGAIN) receive();
    if (scores.status >= 0) receive();
  }
  if (scores.status >= 0 && options.flush) {
    scores.status = qc_send(ctx, nullptr);
    if (scores.status >= 0) receive();
  }
  if (scores.status < 0) scores.error = qc_error(ctx);
  qc_destroy(&ctx);
  return scores;
}

void assert_same(const Scores& a, const Scores& b) {
  assert_int_equal(a.status, QC_EOF);
  assert_int_equal(b.status, QC_EOF);
  assert_int_equal(a.frames.size(), b.frames.size());
  for (size_t f = 0; f < a.frames.size(); ++f) {
    assert_int_equal(a.frames[f].size(), b.frames[f].size());
    assert_memory_equal(a.frames[f].data(), b.frames[f].data(), a.frames[f].size() * sizeof(double));
  }
}

void host_pictures_give_the_cpus_scores(void**) {
  const Scores cpu = score({.backend = "cpu"});
  const Scores cuda = score({});
  assert_same(cpu, cuda);
  assert_int_equal(cuda.released, kFrames);
  assert_int_equal(live_objects(), 0);
}

void device_pictures_are_read_in_stream_order(void**) {
  const Scores cpu = score({.backend = "cpu"});
  {
    Sender sender(make_context(0));
    assert_same(cpu, score({}, &sender, &sender));
  }
  {
    // Two streams of one context.
    Sender reference(make_context(0));
    Sender distorted(reference.context);
    assert_same(cpu, score({}, &reference, &distorted));
  }
  assert_int_equal(live_objects(), 0);
}

void two_contexts_of_one_device_work(void**) {
  const Scores cpu = score({.backend = "cpu"});
  {
    Sender reference(make_context(0));
    Sender distorted(make_context(0));
    assert_same(cpu, score({}, &reference, &distorted));
  }
  assert_int_equal(live_objects(), 0);
}

void two_devices_are_refused(void**) {
  {
    Sender reference(make_context(0));
    Sender distorted(make_context(1));
    const Scores scores = score({}, &reference, &distorted);
    assert_int_equal(scores.status, QC_ERROR_INVALID);
    assert_non_null(std::strstr(scores.error.c_str(), "CUDA device 1"));
  }
  assert_int_equal(live_objects(), 0);
}

void unfinished_streams_release_their_pictures(void**) {
  const Scores scores = score({.flush = false});
  assert_int_equal(scores.released, kFrames);
  assert_int_equal(live_objects(), 0);
}

// Every driver call of a stream fails in turn.
void every_failing_call_is_a_clean_error(void**) {
  const Options options{.features = "name=psnr:enable_chroma=false", .frames = 2, .side = 16};
  for (const bool device_pictures : {false, true}) {
    for (const cuda::abi::Result result : {cuda::abi::kErrorOutOfMemory, cuda::abi::kErrorLaunchFailed}) {
      for (long n = 1;; ++n) {
        std::vector<Sender> senders;
        if (device_pictures) senders.emplace_back(make_context(0));
        Sender* sender = device_pictures ? &senders[0] : nullptr;
        planned.start(n, result);
        const Scores scores = score(options, sender, sender);
        const bool reached = planned.reached();
        planned.stop();
        senders.clear();
        if (!reached) {
          assert_int_equal(scores.status, QC_EOF);
          break;
        }
        if (scores.status < 0) {
          assert_true(scores.status == QC_ERROR_MEMORY || scores.status == QC_ERROR_DEVICE);
          assert_non_null(std::strstr(scores.error.c_str(), " failed: CUDA_ERROR_"));
        }
        assert_int_equal(live_objects(), 0);
        assert_int_equal(current_contexts(), 0);
      }
    }
  }
}

void hundreds_of_contexts_leave_nothing(void**) {
  for (int i = 0; i < 300; ++i)
    assert_int_equal(score({.features = "name=psnr:enable_chroma=false", .frames = 1, .side = 16}).status, QC_EOF);
  assert_int_equal(live_objects(), 0);
}

void a_missing_device_is_named(void**) {
  QCContext* ctx = nullptr;
  const Plan p = plan(16);
  assert_int_equal(qc_create(&ctx), QC_OK);
  qc_set(ctx, "feature", "name=psnr");
  qc_set(ctx, "backend", "cuda");
  qc_set(ctx, "cuda_device", "7");
  assert_int_equal(qc_open(ctx, &p.reference, &p.distorted, nullptr), QC_ERROR_INVALID);
  assert_non_null(std::strstr(qc_error(ctx), "cuda_device=7"));
  qc_destroy(&ctx);
}

int load_emulation(void**) {
  char folder[4096];
  if (!getcwd(folder, sizeof(folder))) return -1;
  const std::string file = std::string(folder) + "/tests/emulation/libemulated_cuda.so";
  void* library = dlopen(file.c_str(), RTLD_NOW);
  if (!library) return -1;
  live_objects = reinterpret_cast<long (*)()>(dlsym(library, "emulated_live_objects"));
  current_contexts = reinterpret_cast<long (*)()>(dlsym(library, "emulated_current_contexts"));
  make_context = reinterpret_cast<void* (*)(int)>(dlsym(library, "emulated_context"));
  cuda::set_driver_file(file);
  return live_objects && current_contexts && make_context ? 0 : -1;
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(host_pictures_give_the_cpus_scores),
      cmocka_unit_test(device_pictures_are_read_in_stream_order),
      cmocka_unit_test(two_contexts_of_one_device_work),
      cmocka_unit_test(two_devices_are_refused),
      cmocka_unit_test(unfinished_streams_release_their_pictures),
      cmocka_unit_test(every_failing_call_is_a_clean_error),
      cmocka_unit_test(hundreds_of_contexts_leave_nothing),
      cmocka_unit_test(a_missing_device_is_named),
  };
  return cmocka_run_group_tests(tests, load_emulation, nullptr);
}
