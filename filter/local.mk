# FFmpeg's build compiles the filter; the tarball only carries it.
EXTRA_DIST += quickstart filter/add-to-ffmpeg filter/vf_qualitycuda.c
