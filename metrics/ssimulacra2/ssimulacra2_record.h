// The record of ssimulacra2, the same on host and device.
#pragma once

namespace qc {

namespace ssimulacra2 {

constexpr int kScales = 6;
constexpr int kChannels = 3;  // X, Y, B

// Sums over the pixels of one channel of one scale: of each error and of its fourth power.
enum Sum { kSsim, kSsim4, kArtifact, kArtifact4, kDetail, kDetail4, kSums };

}  // namespace ssimulacra2

struct Ssimulacra2Record {
  double sum[ssimulacra2::kScales][ssimulacra2::kChannels][ssimulacra2::kSums];
};

}  // namespace qc
