# FFmpeg's build compiles the filter, and its program runs the FATE-style tests; the tarball only carries them.
EXTRA_DIST += quickstart filter/add-to-ffmpeg filter/vf_qualitycuda.c
EXTRA_DIST += tests/fate/run tests/fate/list fate-refs
TESTS += tests/unit/add_to_ffmpeg_test.sh
EXTRA_DIST += tests/unit/add_to_ffmpeg_test.sh
