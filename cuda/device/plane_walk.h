// How the threads of a grid share the positions of a plane, and when two planes can be read 16 bytes at a time.
#pragma once

#include "cuda/device/prelude.h"
#include "math/plane_view.h"

namespace qc::device {

// Positions of a width x height raster, in steps of the number of threads, without a division at each step.
class PlaneWalk {
 public:
  QC_DEVICE PlaneWalk(uint32_t thread, uint32_t threads, int width, int height)
      : width_(width),
        height_(height),
        step_x_(static_cast<int>(threads % static_cast<uint32_t>(width))),
        step_y_(static_cast<int>(threads / static_cast<uint32_t>(width))),
        x_(static_cast<int>(thread % static_cast<uint32_t>(width))),
        y_(static_cast<int>(thread / static_cast<uint32_t>(width))) {}
  QC_DEVICE bool done() const { return y_ >= height_; }
  QC_DEVICE int x() const { return x_; }
  QC_DEVICE int y() const { return y_; }
  QC_DEVICE void next() {
    x_ += step_x_;
    y_ += step_y_;
    if (x_ >= width_) {
      x_ -= width_;
      ++y_;
    }
  }

 private:
  int width_;
  int height_;
  int step_x_;
  int step_y_;
  int x_;
  int y_;
};

QC_DEVICE bool aligned16(const PlaneView& p) {
  return ((reinterpret_cast<uintptr_t>(p.data) | static_cast<uint64_t>(p.stride)) & 15) == 0;
}

// True if both planes can be read 16 bytes at a time, side by side.
QC_DEVICE bool in_step(const PlaneView& a, const PlaneView& b) {
  return a.step == b.step && a.shift == b.shift && aligned16(a) && aligned16(b);
}

}  // namespace qc::device
