// Whole streams through the library, for features whose scores depend on neighbours in time.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "guarded_picture.h"
#include "qualitycuda.h"
#include "unit.h"

namespace unit {

using Columns = std::map<std::string, std::vector<double>>;

// All scores of a stream whose reference pictures are those of the functions.
inline Columns run_stream(const std::string& feature, const qc::Geometry& g, const std::vector<SampleFunction>& frames,
                          const char* n_threads = "1") {
  std::vector<std::unique_ptr<GuardedPicture>> pictures;
  const GuardedPicture gray(g, {}, [](int, int, int) { return 77U; });
  for (const SampleFunction& f : frames) pictures.push_back(std::make_unique<GuardedPicture>(g, Layout{}, f));
  QCContext* context = nullptr;
  assert_int_equal(qc_create(&context), QC_OK);
  assert_int_equal(qc_set(context, "feature", feature.c_str()), QC_OK);
  assert_int_equal(qc_set(context, "n_threads", n_threads), QC_OK);
  assert_int_equal(qc_open(context, &gray.format(), &gray.format(), nullptr), QC_OK);
  Columns columns;
  auto receive = [&] {
    QCResult result;
    while (qc_receive(context, &result) == QC_OK)
      for (int i = 0; i < result.count; ++i) columns[result.names[i]].push_back(result.values[i]);
  };
  for (const auto& picture : pictures) {
    QCPair pair{};
    pair.reference = picture->frame();
    pair.distorted = gray.frame();
    while (qc_send(context, &pair) == QC_AGAIN) receive();
  }
  assert_int_equal(qc_send(context, nullptr), QC_OK);
  receive();
  qc_destroy(&context);
  return columns;
}

inline void assert_column(const Columns& columns, const std::string& name, const std::vector<double>& expected) {
  const auto found = columns.find(name);
  if (found == columns.end()) fail_msg("no column %s", name.c_str());
  assert_int_equal(found->second.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&found->second[i], &expected[i], sizeof(double)) != 0)
      fail_msg("%s[%zu] is %.17g, not %.17g", name.c_str(), i, found->second[i], expected[i]);
  }
}

inline std::vector<SampleFunction> flat_frames(const std::vector<uint32_t>& values) {
  std::vector<SampleFunction> frames;
  for (uint32_t v : values) frames.push_back([v](int, int, int) { return v; });
  return frames;
}

}  // namespace unit
