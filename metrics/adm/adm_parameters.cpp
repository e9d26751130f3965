#include "adm/adm_parameters.h"

#include <algorithm>

namespace qc {
namespace {

// Smallest c with 2^c >= n.
int ceil_log2(int64_t n) {
  int c = 0;
  while ((int64_t{1} << c) < n) ++c;
  return c;
}

}  // namespace

int adm_margin(int size) { return static_cast<int>(size * 0.1 - 0.5); }

AdmParameters adm_parameters(int width, int height, int depth, const uint32_t weight_hv[4],
                             const uint32_t weight_d[4]) {
  AdmParameters p{};
  p.width = width;
  p.height = height;
  p.depth = depth;
  p.gain_limit = 100.0;
  int w = width;
  int h = height;
  for (int s = 0; s < 4; ++s) {
    AdmScale& scale = p.scale[s];
    w = (w + 1) / 2;
    h = (h + 1) / 2;
    scale.width = w;
    scale.height = h;
    scale.left = adm_margin(w);
    scale.right = w - scale.left;
    scale.top = adm_margin(h);
    scale.bottom = h - scale.top;
    scale.weight_hv = weight_hv[s];
    scale.weight_d = weight_d[s];
    const int columns = scale.right - scale.left;
    const int rows = scale.bottom - scale.top;
    scale.cube_row_shift = ceil_log2(h);
    if (s == 0) {
      scale.reference_row_shift = std::max(0, ceil_log2(int64_t{columns} * rows) - 20);
      scale.cube_shift_hv = std::max(0, ceil_log2(w) - 4);
      scale.cube_shift_d = std::max(0, ceil_log2(w) - 3);
    } else {
      scale.reference_shift = ceil_log2(columns);
      scale.reference_row_shift = ceil_log2(rows);
      scale.cube_shift_hv = ceil_log2(w);
      scale.cube_shift_d = ceil_log2(w);
    }
  }
  return p;
}

}  // namespace qc
