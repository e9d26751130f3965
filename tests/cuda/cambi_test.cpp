// cambi on the device beside what tests/parity compares. Hoare's FIND in parallel and the sum in the order that it
// leaves, on the stand-in for the driver in tests/emulation: the same values in the same places as step by step, and
// the same sum.
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <set>
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

#include "cambi/top_sum.h"
#include "cuda/cambi/cambi.h"
#include "cuda/cambi/top_summation.h"
#include "cuda/emulation.h"
#include "qualitycuda.h"
#include "unit/unit.h"

namespace {

namespace cuda = qc::cuda;
using Values = std::vector<float>;

// Values and sum after the device's work.
double run(cuda::TopSummation& summation, const cuda::Stream& stream, Values& values, size_t pooled) {
  const size_t bytes = values.size() * sizeof(float);
  const cuda::DeviceBuffer memory = cuda::DeviceBuffer::allocate(bytes);
  const cuda::DeviceBuffer result = cuda::DeviceBuffer::allocate(sizeof(double));
  cuda::driver().cuMemcpyHtoDAsync(memory.get(), values.data(), bytes, stream.get());
  summation.enqueue(stream.get(), cuda::pointer<uint32_t>(memory.get()), static_cast<uint32_t>(values.size()),
                    static_cast<uint32_t>(pooled), cuda::pointer<double>(result.get()));
  double sum = 0;
  cuda::driver().cuMemcpyDtoHAsync(values.data(), memory.get(), bytes, stream.get());
  cuda::driver().cuMemcpyDtoHAsync(&sum, result.get(), sizeof(sum), stream.get());
  cuda::driver().cuStreamSynchronize(stream.get());
  return sum;
}

// The test pattern of the specification, whose sum depends on the order.
Values dynamic_range() {
  Values values(1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(static_cast<uint32_t>(i * 2654435761U)) * (i % 3 == 0 ? 0x1p12F : 0x1p-20F);
  return values;
}

void same_as_step_by_step(void**) {
  const cuda::PrimaryContext context(0);
  const cuda::ContextScope scope(context.get());
  cuda::Device device(0);
  cuda::TopSummation summation(device);
  const cuda::Stream stream = cuda::Stream::create();
  std::mt19937 random(7);
  std::vector<Values> cases = {dynamic_range(), {3}, {1, 2}, {2, 1}, {0, 0, 0}};
  for (int i = 0; i < 12; ++i) {
    Values values(1 + random() % (i < 8 ? 60 : 3000));
    const unsigned different = i % 3 == 0 ? 3 : i % 3 == 1 ? 40 : 100000;
    for (float& v : values)
      v = float(random() % different) * (random() % 4 ? 1.0F : 0x1p30F) + float(random() % 2) * 0x1p-24F;
    cases.push_back(values);
  }
  for (const Values& values : cases) {
    for (const size_t pooled : {size_t{1}, values.size() * 6 / 10, values.size() - 1, values.size()}) {
      if (pooled == 0 || pooled > values.size()) continue;
      Values expected = values;
      const double sum = qc::cambi::ordered_top_sum(expected.data(), expected.size(), pooled);
      Values found = values;
      const double found_sum = run(summation, stream, found, pooled);
      assert_true(std::bit_cast<uint64_t>(found_sum) == std::bit_cast<uint64_t>(sum));
      assert_memory_equal(found.data(), expected.data(), expected.size() * sizeof(float));
    }
  }
}

struct Context {
  QCContext* ctx = nullptr;
  explicit Context(const char* feature, const char* backend = "cuda") {
    assert_int_equal(qc_create(&ctx), QC_OK);
    assert_int_equal(qc_set(ctx, "feature", feature), QC_OK);
    assert_int_equal(qc_set(ctx, "backend", backend), QC_OK);
  }
  ~Context() { qc_destroy(&ctx); }
};

QCFormat gray10(int width, int height) {
  QCFormat f{};
  f.width = width;
  f.height = height;
  f.chroma = QC_CHROMA_400;
  f.depth = 10;
  f.sample_bytes = 2;
  f.matrix = f.primaries = f.transfer = 2;
  f.full_range = -1;
  return f;
}

QCPair pair_of(const QCFormat& f, const std::vector<uint16_t>& reference, const std::vector<uint16_t>& distorted) {
  QCPair pair{};
  pair.reference.data[0] = reference.data();
  pair.distorted.data[0] = distorted.data();
  pair.reference.stride[0] = pair.distorted.stride[0] = 2 * f.width;
  return pair;
}

// In the distorted picture always, in the reference only where that is scored; also where resampling passes over the
// sample.
void samples_beyond_the_depth_are_refused(void**) {
  const QCFormat f = gray10(240, 32);
  const auto samples = static_cast<size_t>(f.width * f.height);
  for (const char* feature : {"name=cambi", "name=cambi:full_ref=true", "name=cambi:enc_width=220:enc_height=150"}) {
    for (int beyond = 0; beyond < 2; ++beyond) {
      const Context c(feature);
      assert_int_equal(qc_open(c.ctx, &f, &f, nullptr), QC_OK);
      std::vector<uint16_t> pictures[2] = {std::vector<uint16_t>(samples, 100), std::vector<uint16_t>(samples, 100)};
      pictures[beyond][samples - 2] = 1024;
      const QCPair pair = pair_of(f, pictures[0], pictures[1]);
      QCResult result;
      QCStatus status = qc_send(c.ctx, &pair);
      if (status == QC_OK) status = qc_send(c.ctx, nullptr);
      if (status == QC_OK) status = qc_receive(c.ctx, &result);
      const bool refused = beyond == 1 || std::strstr(feature, "full_ref");
      assert_int_equal(status, refused ? QC_ERROR_INVALID : QC_OK);
      if (refused) assert_non_null(std::strstr(qc_error(c.ctx), "exceeds the greatest value of 10 bits"));
    }
  }
}

double score(const char* feature, const char* backend, const QCFormat& f, const std::vector<uint16_t>& picture) {
  const Context c(feature, backend);
  assert_int_equal(qc_open(c.ctx, &f, &f, nullptr), QC_OK);
  const QCPair pair = pair_of(f, picture, picture);
  assert_int_equal(qc_send(c.ctx, &pair), QC_OK);
  assert_int_equal(qc_send(c.ctx, nullptr), QC_OK);
  QCResult result;
  assert_int_equal(qc_receive(c.ctx, &result), QC_OK);
  return result.values[0];
}

// Of every frame and scale; also where no level has visible steps, and where the sums are ordered.
void same_maps(void**) {
  const QCFormat f = gray10(240, 120);
  std::vector<uint16_t> pictures[2];
  for (int i = 0; i < 2; ++i)
    for (int y = 0; y < f.height; ++y)
      for (int x = 0; x < f.width; ++x)
        pictures[i].push_back(static_cast<uint16_t>(200 + i + (x + 2 * y) / (20 + 10 * i)));
  for (const char* options : {"", ":cambi_vis_lum_threshold=300"}) {
    for (const bool ordered : {false, true}) {
      std::string maps[2];
      for (int backend = 0; backend < 2; ++backend) {
        cuda::set_cambi_always_ordered(ordered);
        char folder[] = "/tmp/cambi-maps-XXXXXX";
        assert_non_null(mkdtemp(folder));
        {
          const Context c((std::string("name=cambi:heatmaps_path=") + folder + options).c_str(),
                          backend ? "cuda" : "cpu");
          assert_int_equal(qc_open(c.ctx, &f, &f, nullptr), QC_OK);
          for (const std::vector<uint16_t>& picture : pictures) {
            const QCPair pair = pair_of(f, picture, picture);
            assert_int_equal(qc_send(c.ctx, &pair), QC_OK);
          }
          assert_int_equal(qc_send(c.ctx, nullptr), QC_OK);
          QCResult result;
          for (int i = 0; i < 2; ++i) assert_int_equal(qc_receive(c.ctx, &result), QC_OK);
        }
        std::set<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
        assert_int_equal(files.size(), 5);
        for (const auto& file : files) maps[backend] += file.filename().string() + unit::file_text(file.string());
        std::filesystem::remove_all(folder);
      }
      cuda::set_cambi_always_ordered(false);
      assert_true(maps[0] == maps[1]);
      assert_true(maps[0].size() > 2 * 2 * 240 * 120);
    }
  }
}

// Windows of all widths, as only wide pictures have them, and more levels in a block than it counts at a time, or in a
// row than it sums up at a time.
void wide_windows_and_many_levels(void**) {
  struct Case {
    const char* feature;
    int width;
    int height;
    int patch;        // width of a patch; its height is 8
    unsigned levels;  // that the patches have
  };
  const Case cases[] = {
      {"name=cambi:window_size=127", 7680, 6, 64, 40},  // 163x163
      {"name=cambi:window_size=88", 4500, 6, 64, 40},
      {"name=cambi", 3900, 6, 64, 40},
      {"name=cambi:window_size=100:eotf=pq:max_log_contrast=3", 1900, 10, 64, 40},
      {"name=cambi", 216, 88, 8, 480},
      {"name=cambi", 216, 88, 8, 110},
  };
  std::mt19937 random(11);
  for (const Case& k : cases) {
    const QCFormat f = gray10(k.width, k.height);
    const int columns = k.width / k.patch + 1;
    std::vector<unsigned> patch(static_cast<size_t>(columns * (k.height / 8 + 1)));
    for (size_t i = 0; i < patch.size(); ++i)
      patch[i] = i > 0 && random() % 3 ? (patch[i - 1] + 1 + random() % 3) % k.levels : random() % k.levels;
    std::vector<uint16_t> picture(static_cast<size_t>(k.width * k.height));
    for (int y = 0; y < k.height; ++y)
      for (int x = 0; x < k.width; ++x)
        picture[static_cast<size_t>(y * k.width + x)] =
            static_cast<uint16_t>(64 + patch[static_cast<size_t>(y / 8 * columns + x / k.patch)]);
    const double cpu = score(k.feature, "cpu", f, picture);
    assert_true(cpu > 0);
    assert_true(std::bit_cast<uint64_t>(score(k.feature, "cuda", f, picture)) == std::bit_cast<uint64_t>(cpu));
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(same_as_step_by_step),
      cmocka_unit_test(wide_windows_and_many_levels),
      cmocka_unit_test(same_maps),
      cmocka_unit_test(samples_beyond_the_depth_are_refused),
  };
  return cmocka_run_group_tests(tests, qc::test::load_emulation, nullptr);
}
