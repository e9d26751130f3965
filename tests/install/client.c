/* A C program that uses the installed header and library: scores two gray frames with psnr. */
#include <math.h>
#include <qualitycuda.h>
#include <stdio.h>

enum { WIDTH = 32, HEIGHT = 16 };

static int fail(QCContext *ctx, const char *what) {
  fprintf(stderr, "%s: %s\n", what, qc_error(ctx));
  qc_destroy(&ctx);
  return 1;
}

int main(void) {
  static unsigned char reference[WIDTH * HEIGHT];
  static unsigned char distorted[WIDTH * HEIGHT];
  QCFormat format = {0};
  QCPair pair = {{{0}, {0}}, {{0}, {0}}, 0, NULL, NULL, NULL};
  QCResult result;
  QCContext *ctx = NULL;
  double expected = 10 * log10(255.0 * 255.0);
  int i;

  for (i = 0; i < WIDTH * HEIGHT; i++) {
    reference[i] = (unsigned char)(i % 200);
    distorted[i] = (unsigned char)(reference[i] + 1);
  }
  format.width = WIDTH;
  format.height = HEIGHT;
  format.chroma = QC_CHROMA_400;
  format.depth = 8;
  format.sample_bytes = 1;
  format.matrix = format.primaries = format.transfer = 2;
  format.full_range = -1;
  pair.reference.data[0] = reference;
  pair.distorted.data[0] = distorted;
  pair.reference.stride[0] = pair.distorted.stride[0] = WIDTH;

  if (qc_create(&ctx) < 0) return fail(ctx, "qc_create");
  if (qc_set(ctx, "feature", "name=psnr:enable_chroma=false") < 0) return fail(ctx, "qc_set");
  if (qc_open(ctx, &format, &format, NULL) < 0) return fail(ctx, "qc_open");
  if (qc_send(ctx, &pair) < 0 || qc_send(ctx, NULL) < 0) return fail(ctx, "qc_send");
  if (qc_receive(ctx, &result) != QC_OK || result.count != 1) return fail(ctx, "qc_receive");
  printf("%s: %s %.6f\n", qc_version(), result.names[0], result.values[0]);
  if (fabs(result.values[0] - expected) > 1e-9) return fail(ctx, "the score");
  qc_destroy(&ctx);
  return 0;
}
