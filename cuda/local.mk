# The flags of every kernel: each +, -, *, / and square root rounds to nearest and keeps subnormals; nothing is contracted.
# tests/cuda/check-kernel-flags looks at what they make of each kernel.
if QC_CUDA_NVCC
QC_KERNEL_FLAGS = -std=c++20 --fmad=false --prec-div=true --prec-sqrt=true --ftz=false
QC_KERNEL_COMPILE = $(NVCC) $(QC_KERNEL_FLAGS) -I$(top_srcdir)/metrics -I$(top_srcdir)
QC_KERNEL_IMAGE = $(QC_KERNEL_COMPILE) --threads 0 -fatbin $(QC_GENCODE)
QC_KERNEL_PTX = $(QC_KERNEL_COMPILE) -ptx -arch=compute_$(QC_PTX_ARCH)
# Without the flags, for the test that looks at their effect.
QC_KERNEL_LOOSE_PTX = $(NVCC) -std=c++20 -I$(top_srcdir)/metrics -I$(top_srcdir) -ptx -arch=compute_$(QC_PTX_ARCH)
else
QC_KERNEL_FLAGS = -std=c++20 -O3 -ffp-contract=off -fno-fast-math
QC_KERNEL_COMPILE = $(CUDA_CLANG) -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_$(QC_PTX_ARCH) \
	-Xclang -target-feature -Xclang +ptx63 -Wno-unknown-cuda-version \
	$(QC_KERNEL_FLAGS) -I$(top_srcdir)/metrics -I$(top_srcdir)
QC_KERNEL_IMAGE = $(QC_KERNEL_COMPILE) -S
QC_KERNEL_PTX = $(QC_KERNEL_COMPILE) -S
QC_KERNEL_LOOSE_PTX = $(QC_KERNEL_PTX) -ffp-contract=fast
endif

SUFFIXES = .cu .ptx

# The symbol qc_image_NAME holds what NAME.cu was compiled to, with a zero after it, since PTX is text.
.cu.lo:
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(QC_KERNEL_IMAGE) -MD -MT $@ -MF $(@:.lo=.d) -o $(@:.lo=.image) $<
	@{ echo '.section .rodata'; \
	  echo '.globl qc_image_$(*F)'; \
	  echo '.balign 16'; \
	  echo 'qc_image_$(*F):'; \
	  echo '.incbin "$(@:.lo=.image)"'; \
	  echo '.byte 0'; \
	  echo '.section .note.GNU-stack, "", %progbits'; } > $(@:.lo=.s)
	@$(LIBTOOL) $(AM_V_lt) --tag=CC --mode=compile $(CC) -c -o $@ $(@:.lo=.s)

.cu.ptx:
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(QC_KERNEL_PTX) -o $@ $<

@QC_INCLUDE_KERNEL_DEPS@

qc_kernels = \
	cuda/adm/adm_sums.cu \
	cuda/adm/float_adm_sums.cu \
	cuda/ciede/color_differences.cu \
	cuda/cambi/cambi_contrasts.cu \
	cuda/cambi/cambi_levels.cu \
	cuda/cambi/cambi_pooling.cu \
	cuda/cambi/hoare_find.cu \
	cuda/math/ordered_rows.cu \
	cuda/math/ordered_sum.cu \
	cuda/motion/blurred_difference.cu \
	cuda/motion/float_difference.cu \
	cuda/psnr/ansnr.cu \
	cuda/psnr/luma_sums.cu \
	cuda/psnr/squared_error.cu \
	cuda/psnr_hvs/block_errors.cu \
	cuda/speed/speed_score.cu \
	cuda/ssim/decimation.cu \
	cuda/ssim/moment_ssim.cu \
	cuda/ssim/windowed_ssim.cu \
	cuda/ssimulacra2/ssimulacra2_blur.cu \
	cuda/ssimulacra2/ssimulacra2_pictures.cu \
	cuda/ssimulacra2/ssimulacra2_sums.cu \
	cuda/vif/float_vif_sums.cu \
	cuda/vif/vif_sums.cu
# What kernels include, for the compilations that do not track it.
qc_kernel_headers = \
	cuda/adm/adm_sums.h \
	cuda/adm/float_adm_sums.h \
	cuda/adm/picture_row.h \
	cuda/adm/tile.h \
	cuda/adm/tile_position.h \
	cuda/ciede/color_differences.h \
	cuda/cambi/cambi_contrasts.h \
	cuda/cambi/cambi_levels.h \
	cuda/cambi/cambi_planes.h \
	cuda/cambi/cambi_pooling.h \
	cuda/cambi/find_plane.h \
	cuda/cambi/hoare_find.h \
	cuda/device/frame.h \
	cuda/device/kernel_name.h \
	cuda/device/plane_walk.h \
	cuda/device/prefix_sums.h \
	cuda/device/prelude.h \
	cuda/math/map_walk.h \
	cuda/math/ordered_rows.h \
	cuda/math/ordered_sum.h \
	cuda/motion/blurred_difference.h \
	cuda/motion/float_difference.h \
	cuda/psnr/ansnr.h \
	cuda/psnr/luma_sums.h \
	cuda/psnr/squared_error.h \
	cuda/psnr_hvs/block_errors.h \
	cuda/speed/speed_score.h \
	cuda/ssim/decimation.h \
	cuda/ssim/moment_ssim.h \
	cuda/ssim/widen.h \
	cuda/ssim/windowed_ssim.h \
	cuda/ssimulacra2/ssimulacra2_kernels.h \
	cuda/vif/float_vif_sums.h \
	cuda/vif/vif_sums.h \
	metrics/ciede/chroma_position.h \
	metrics/ciede/functions-inl.h \
	metrics/ciede/pixel-inl.h \
	metrics/ciede/pixel_parameters.h \
	metrics/ciede/scalar_lanes.h \
	metrics/math/certified_rounding.h \
	metrics/math/ordered_sum.h \
	metrics/psnr_hvs/block-inl.h \
	metrics/psnr_hvs/hvs_weights.h \
	metrics/psnr_hvs/scalar_lanes.h

if HAVE_CUDA
qc_sources += \
	$(qc_kernel_headers) \
	cuda/adm/adm.cpp \
	cuda/adm/adm.h \
	cuda/adm/float_adm.cpp \
	cuda/adm/float_adm.h \
	cuda/ciede/ciede.cpp \
	cuda/ciede/ciede.h \
	cuda/cambi/cambi.cpp \
	cuda/cambi/cambi.h \
	cuda/cambi/top_summation.cpp \
	cuda/cambi/top_summation.h \
	cuda/device_layout.h \
	cuda/driver/driver.cpp \
	cuda/driver/driver.h \
	cuda/driver/driver_api.h \
	cuda/driver/objects.cpp \
	cuda/driver/objects.h \
	cuda/executor.cpp \
	cuda/executor.h \
	cuda/images.h \
	cuda/kernels.h \
	cuda/math/ordered_summation.cpp \
	cuda/math/ordered_summation.h \
	cuda/motion/float_motion.cpp \
	cuda/motion/float_motion.h \
	cuda/motion/motion.cpp \
	cuda/motion/motion.h \
	cuda/psnr/psnr.cpp \
	cuda/psnr/psnr.h \
	cuda/psnr_hvs/psnr_hvs.cpp \
	cuda/psnr_hvs/psnr_hvs.h \
	cuda/speed/speed.cpp \
	cuda/speed/speed.h \
	cuda/ssim/ssim.cpp \
	cuda/ssim/ssim.h \
	cuda/ssimulacra2/ssimulacra2.cpp \
	cuda/ssimulacra2/ssimulacra2.h \
	cuda/vif/float_vif.cpp \
	cuda/vif/float_vif.h \
	cuda/vif/vif.cpp \
	cuda/vif/vif.h
qc_objects += $(qc_kernels:.cu=.lo)
endif

EXTRA_DIST += $(qc_kernels)
