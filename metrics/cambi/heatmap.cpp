#include "cambi/heatmap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace qc::cambi {

HeatmapFiles::HeatmapFiles(const std::string& folder, const Parameters& p) {
  if (mkdir(folder.c_str(), 0770) != 0 && errno != EEXIST)
    fail_io("cambi: cannot create the folder " + folder + ": " + std::strerror(errno));
  int weight = 0;
  for (int d = 1; d <= p.differences; ++d) weight = std::max(weight, contrast_weight(d));
  const int largest = weight * p.distorted.window * p.distorted.window / 4;
  factor_ = largest == 0 ? 0.0 : 65535.0 / double(largest);
  // With the speed-up the names keep the size before it, as libvmaf's do.
  int width = p.distorted.width;
  int height = p.distorted.height;
  for (int s = 0; s < kCambiScales; ++s) {
    pixels_[s] = p.distorted.scales[s].pixels();
    paths_.push_back(folder + "/cambi_heatmap_scale_" + std::to_string(s) + "_" + std::to_string(width) + "x" +
                     std::to_string(height) + "_16b.gray");
    const int file = open(paths_.back().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
      const std::string reason = std::strerror(errno);
      for (int f : files_) close(f);
      fail_io("cambi: cannot create " + paths_.back() + ": " + reason);
    }
    files_.push_back(file);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
}

HeatmapFiles::~HeatmapFiles() {
  for (int file : files_) close(file);
}

void HeatmapFiles::write(int64_t frame, int scale, const float* contrasts) const {
  const size_t s = static_cast<size_t>(scale);
  std::vector<uint8_t> bytes(2 * pixels_[s]);
  for (size_t i = 0; i < pixels_[s]; ++i) {
    const auto value = static_cast<uint32_t>(factor_ * double(contrasts[i]));
    bytes[2 * i] = static_cast<uint8_t>(value);
    bytes[2 * i + 1] = static_cast<uint8_t>(value >> 8);
  }
  const off_t start = static_cast<off_t>(frame) * static_cast<off_t>(bytes.size());
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written =
        pwrite(files_[s], bytes.data() + done, bytes.size() - done, start + static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_io("cambi: cannot write " + paths_[s] + ": " + std::strerror(errno));
    done += static_cast<size_t>(written);
  }
}

}  // namespace qc::cambi
