#!/bin/sh
# Kernels of all features share the namespaces that Highway makes for each instruction set (qc::N_AVX2 …). Two files that define different
# functions of one name and type there would get one of them for both, as the linker likes: no such function may be in two objects.
set -eu
symbols=$(find metrics -name '*.o' ! -path '*/.libs/*' | sort | while read -r object; do
  nm -C "$object" 2>/dev/null | sed -nE 's/^[0-9a-f]+ [WVuT] (.*qc::([a-z0-9_]+::)?N_.*)$/\1/p' | sort -u
done)
[ -n "$symbols" ] || exit 77
twice=$(printf '%s\n' "$symbols" | sort | uniq -d)
[ -z "$twice" ] && exit 0
printf 'in several objects:\n%s\n' "$twice"
exit 1
