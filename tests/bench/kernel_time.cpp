// Time of a feature's CPU kernels on one thread, for each instruction set of the machine.
//
//   kernel_time [-w WIDTH] [-h HEIGHT] [-d DEPTH] [-n FRAMES] [-t TARGET] [-p PAIRS] [-s] [-r reference.yuv -i
//   distorted.yuv] FEATURES
//
// FEATURES has the syntax of the library's option `feature`; all of them run on each frame, as in a session. Frames are
// 4:2:0, from the raw files or else noise. Pictures rotate through a set that is larger than the last-level cache of
// most machines, so reading them from memory is part of the time. Prints the least and the median milliseconds of
// processor time a frame.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/context_options.h"
#include "core/feature.h"
#include "core/targets.h"

namespace {

struct Settings {
  int width = 1920;
  int height = 1080;
  int depth = 8;
  int frames = 24;
  int pairs = 8;
  bool semi_planar = false;
  std::string target;
  std::string reference;
  std::string distorted;
  std::string features;
};

Settings parse(int argc, char** argv) {
  Settings s;
  for (int c; (c = getopt(argc, argv, "w:h:d:n:p:st:r:i:")) != -1;) {
    if (c == 'w')
      s.width = std::atoi(optarg);
    else if (c == 'h')
      s.height = std::atoi(optarg);
    else if (c == 'd')
      s.depth = std::atoi(optarg);
    else if (c == 'n')
      s.frames = std::atoi(optarg);
    else if (c == 'p')
      s.pairs = std::atoi(optarg);
    else if (c == 's')
      s.semi_planar = true;
    else if (c == 't')
      s.target = optarg;
    else if (c == 'r')
      s.reference = optarg;
    else if (c == 'i')
      s.distorted = optarg;
    else
      std::exit(2);
  }
  if (optind != argc - 1 || s.reference.empty() != s.distorted.empty()) {
    std::fprintf(stderr,
                 "usage: kernel_time [-w W] [-h H] [-d DEPTH] [-n FRAMES] [-t TARGET] [-p PAIRS] [-s] [-r REF -i DIS] "
                 "FEATURES\n");
    std::exit(2);
  }
  s.features = argv[optind];
  return s;
}

using Picture = std::vector<uint8_t>;

std::vector<Picture> read_pictures(const std::string& path, size_t bytes, size_t count) {
  std::vector<Picture> pictures;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) {
    std::perror(path.c_str());
    std::exit(1);
  }
  for (Picture p(bytes); pictures.size() < count && std::fread(p.data(), 1, bytes, file) == bytes;)
    pictures.push_back(p);
  std::fclose(file);
  if (pictures.empty()) {
    std::fprintf(stderr, "%s holds no whole frame\n", path.c_str());
    std::exit(1);
  }
  return pictures;
}

// Noise around a slow gradient.
std::vector<Picture> make_pictures(const qc::Geometry& g, size_t bytes, size_t count, unsigned seed) {
  std::vector<Picture> pictures(count, Picture(bytes));
  std::minstd_rand random(seed);
  const unsigned maximum = static_cast<unsigned>(g.max_value());
  for (Picture& p : pictures) {
    const size_t samples = g.depth == 8 ? bytes : bytes / 2;
    for (size_t i = 0; i < samples; ++i) {
      const size_t x = i % static_cast<size_t>(g.width);
      const unsigned v = (static_cast<unsigned>(x) * (maximum / 2) / static_cast<unsigned>(g.width) +
                          static_cast<unsigned>(random() >> 8) % (maximum / 2));
      if (g.depth == 8) {
        p[i] = static_cast<uint8_t>(v);
      } else {
        p[2 * i] = static_cast<uint8_t>(v);
        p[2 * i + 1] = static_cast<uint8_t>(v >> 8);
      }
    }
  }
  return pictures;
}

qc::PictureView view(const Picture& picture, const QCFormat& format) {
  const qc::Geometry g = qc::geometry_of(format);
  QCFrame frame{};
  const uint8_t* data = picture.data();
  for (int p = 0; p < (format.interleaved_chroma ? 2 : 3); ++p) {
    frame.data[p] = data;
    frame.stride[p] = static_cast<ptrdiff_t>(g.stored_width(p)) * format.sample_bytes;
    if (p == 1 && format.interleaved_chroma) frame.stride[p] *= 2;
    data += frame.stride[p] * g.stored_height(p);
  }
  return qc::view_of(frame, format);
}

double processor_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct Runner {
  std::unique_ptr<qc::Feature> feature;
  std::unique_ptr<qc::CpuKernel> kernel;
  std::vector<std::max_align_t> record;
};

int run(const Settings& s) {
  const QCFormat format = {s.width,
                           s.height,
                           QC_CHROMA_420,
                           s.depth,
                           s.depth == 8 ? 1 : 2,
                           s.semi_planar && s.depth > 8 ? 16 - s.depth : 0,
                           s.semi_planar,
                           2,
                           2,
                           2,
                           -1};
  qc::check_format(format, "either");
  const qc::Geometry geometry = qc::geometry_of(format);
  size_t bytes = 0;
  for (int p = 0; p < 3; ++p)
    bytes += static_cast<size_t>(geometry.stored_width(p)) * static_cast<size_t>(geometry.stored_height(p)) *
             static_cast<size_t>(format.sample_bytes);
  const size_t count = static_cast<size_t>(std::max(s.pairs, 1));
  const auto reference =
      s.reference.empty() ? make_pictures(geometry, bytes, count, 1) : read_pictures(s.reference, bytes, count);
  const auto distorted =
      s.distorted.empty() ? make_pictures(geometry, bytes, count, 2) : read_pictures(s.distorted, bytes, count);
  const size_t pairs = std::min(reference.size(), distorted.size());
  std::vector<qc::PairView> views;
  for (size_t i = 0; i < pairs; ++i) views.push_back({view(reference[i], format), view(distorted[i], format)});

  const std::vector<std::string> targets = qc::available_targets();
  if (!s.target.empty() && std::find(targets.begin(), targets.end(), s.target) == targets.end()) {
    std::fprintf(stderr, "kernel_time: this machine has no target %s\n", s.target.c_str());
    return 1;
  }
  for (const std::string& target : targets) {
    if (!s.target.empty() && target != s.target) continue;
    qc::force_target(target);
    qc::FrameCache cache;
    std::vector<Runner> runners;
    for (const qc::FeatureRequest& request : qc::parse_feature_option(s.features)) {
      const qc::FeatureDef& definition = *qc::registry()[qc::registry_index(request.name)].definition;
      qc::OptionSet options(definition.options);
      for (const auto& [key, value] : request.options) options.set(key, value, request.name);
      Runner runner{definition.create({options, geometry, format, format}), nullptr, {}};
      runner.kernel = runner.feature->make_cpu_kernel(cache);
      runner.record.resize(runner.feature->record_size() / sizeof(std::max_align_t) + 1);
      runners.push_back(std::move(runner));
    }
    std::vector<double> times;
    for (int n = 0; n < s.frames + 2; ++n) {
      const auto pair = [&](int frame) { return &views[static_cast<size_t>(frame) % pairs]; };
      const qc::Window window{n, pair(n), {n > 0 ? pair(n - 1) : nullptr, n > 1 ? pair(n - 2) : nullptr}};
      cache.next_frame();
      const double start = processor_milliseconds();
      for (Runner& runner : runners) {
        std::memset(runner.record.data(), 0, runner.record.size() * sizeof(std::max_align_t));
        runner.kernel->run(window, runner.record.data());
      }
      if (n >= 2) times.push_back(processor_milliseconds() - start);
    }
    std::sort(times.begin(), times.end());
    std::printf("%-8s min %9.3f  median %9.3f ms/frame  %s %dx%d %d bit\n", target.c_str(), times.front(),
                times[times.size() / 2], s.features.c_str(), s.width, s.height, s.depth);
  }
  qc::force_target("");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kernel_time: %s\n", e.what());
    return 1;
  }
}
