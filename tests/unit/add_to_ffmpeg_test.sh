#!/usr/bin/env bash
# filter/add-to-ffmpeg on small stand-ins for FFmpeg's source: it edits once, and an unknown tree stays as it is.
# shellcheck disable=SC2016  # make's variables, not the shell's
set -euo pipefail

add=$(cd "$(dirname "$0")/../.." && pwd)/filter/add-to-ffmpeg
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# tree DIR MAJOR MINOR TYPE: the lines that the script looks for.
tree() {
  mkdir -p "$1/libavfilter"
  printf '%s\n' '  --enable-libvmaf         enable vmaf filter via libvmaf [no]' '    libvmaf' 'libvmaf_filter_deps="libvmaf"' \
    'enabled libvmaf           && require_pkg_config libvmaf "libvmaf >= 2.0.0" libvmaf.h vmaf_init' >"$1/configure"
  echo 'OBJS-$(CONFIG_LIBVMAF_FILTER)                += vf_libvmaf.o framesync.o' >"$1/libavfilter/Makefile"
  printf 'extern const %s %s;\n' "$4" ff_vf_libvmaf "$4" ff_vf_libvmaf_cuda >"$1/libavfilter/allfilters.c"
  echo "#define LIBAVFILTER_VERSION_MAJOR  $2" >"$1/libavfilter/version_major.h"
  echo "#define LIBAVFILTER_VERSION_MINOR  $3" >"$1/libavfilter/version.h"
}

expect() { grep -qxF -- "$2" "$1" || fail "$1 lacks the line: $2"; }

for version in '8 44 AVFilter' '10 5 AVFilter' '11 14 FFFilter' '12 1 FFFilter'; do
  read -r major minor type <<<"$version"
  t=$work/$major
  tree "$t" "$major" "$minor" "$type"
  "$add" "$t" >/dev/null
  expect "$t/configure" '  --enable-libqualitycuda  enable qualitycuda filter via libqualitycuda [no]'
  expect "$t/configure" '    libqualitycuda'
  expect "$t/configure" 'qualitycuda_filter_deps="libqualitycuda"'
  grep -q '^enabled libqualitycuda *&& require_pkg_config libqualitycuda "libqualitycuda >= [0-9.]*" qualitycuda.h qc_create$' \
    "$t/configure" || fail "configure does not look for the library"
  expect "$t/libavfilter/Makefile" 'OBJS-$(CONFIG_QUALITYCUDA_FILTER)            += vf_qualitycuda.o framesync.o'
  expect "$t/libavfilter/allfilters.c" "extern const $type ff_vf_qualitycuda;"
  [[ -s $t/libavfilter/vf_qualitycuda.c ]] || fail "the filter's source is missing"

  cp -r "$t" "$t.once"
  [[ -z $("$add" "$t") ]] || fail "a second run has something to say"
  diff -r "$t" "$t.once" || fail "a second run changes something"
done

# refused DIR WHAT: the script fails and leaves DIR alone.
refused() {
  cp -r "$1" "$1.before"
  if "$add" "$1" >/dev/null 2>"$work/message"; then fail "accepted: $2"; fi
  grep -q '^add-to-ffmpeg: ' "$work/message" || fail "no message: $2"
  diff -r "$1" "$1.before" || fail "changed: $2"
}

tree "$work/old" 7 110 AVFilter
refused "$work/old" "a version that is too old"
tree "$work/between" 10 1 AVFilter
refused "$work/between" "7.0, whose links are different"
tree "$work/new" 13 0 FFFilter
refused "$work/new" "a version that is not known yet"
tree "$work/anchor" 11 14 FFFilter
sed -i 's/^    libvmaf$/    libvmaf2/' "$work/anchor/configure"
refused "$work/anchor" "a tree without one of the lines"
tree "$work/partial" 11 14 FFFilter
echo '# qualitycuda' >>"$work/partial/configure"
refused "$work/partial" "a tree that is edited in part"
mkdir "$work/empty"
refused "$work/empty" "an empty folder"
