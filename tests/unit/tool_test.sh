#!/usr/bin/env bash
# The command-line tool: inputs, options, exit statuses. Runs in the build folder.
set -u
tool=$PWD/qualitycuda
models=$(cd "$(dirname "$0")/../models" && pwd)
documents=$(cd "$(dirname "$0")/../../docs" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export QUALITYCUDA_MODEL_PATH=$work
failures=0

fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# status N ARGUMENTS...: the tool ends with status N.
status() {
  local want=$1
  shift
  "$tool" "$@" >stdout 2>stderr
  local got=$?
  [ "$got" = "$want" ] || fail "status $got instead of $want: $* ($(head -1 stderr))"
}

# says TEXT: the last messages contain TEXT.
says() { grep -qF -- "$1" stderr || fail "no '$1' in: $(cat stderr)"; }

# holds FILE TEXT: the file is exactly this text.
holds() { [ "$(cat "$1")" = "$2" ] || fail "$1 is: $(cat "$1")"; }

# samples COUNT OCTAL: that many bytes of one value.
samples() { head -c "$1" /dev/zero | tr '\0' "\\$2"; }

# Three 16x16 frames; PSNR is known from a constant difference of 1.
{ samples 384 144; samples 384 144; samples 384 144; } >ref.yuv
{ samples 384 145; samples 384 145; samples 384 145; } >dis.yuv
raw=(-w 16 -h 16 -p 420 -b 8)
pair=(-r ref.yuv -d dis.yuv "${raw[@]}")
row=,48.130804,48.130804,48.130804,
header=Frame,psnr_y,psnr_cb,psnr_cr,
all="$header
0$row
1$row
2$row"

status 0 "${pair[@]}" -n --feature psnr --csv -o log.csv
holds log.csv "$all"
status 0 "${pair[@]}" -n --feature psnr -q
says 'psnr_y: 48.130804'
status 0 "${pair[@]}" -n --feature psnr --json --xml --csv -o -
holds stdout "$all"
status 0 "${pair[@]}" -n --feature psnr --csv --precision 2 -o log.csv --frame_cnt 1
holds log.csv "$header
0,48.13,48.13,48.13,"
status 0 "${pair[@]}" -n --feature psnr --subsample 2 --csv -o log.csv
holds log.csv "$header
0$row
2$row"

# Frames are counted from 0 after skipping. The note on unequal lengths leaves the status 0.
{ samples 384 0; cat ref.yuv; } >late.yuv
status 0 -r late.yuv -d dis.yuv "${raw[@]}" -n --feature psnr --frame_skip_ref 1 --frame_cnt 0x2 --csv -o log.csv
holds log.csv "$header
0$row
1$row"
status 0 -r late.yuv -d dis.yuv "${raw[@]}" -n --feature psnr --frame_skip_ref 2 --csv -o log.csv
says 'the reference ended first, after 2 frames'
holds log.csv "$header
0$row
1$row"

# Y4M, also through a pipe, with frame parameters and an alpha plane.
y4m() { # HEADER FRAME-BYTES FRAME-HEADER OCTAL
  printf 'YUV4MPEG2 %s\n' "$1"
  local _
  for _ in 1 2 3; do
    printf '%s\n' "$3"
    samples "$2" "$4"
  done
}
for space in 'W16 H16 F25:1 Ip C420jpeg|384' 'W16 H16 F25:1 Ip|384' 'W16 H16 F25:1 Ip A1:1 C444alpha XCOLORRANGE=FULL|1024' \
  'W16 H16 F25:1 Ip C422|512' 'W15 H15 F25:1 Ip C420mpeg2|353'; do
  y4m "${space%|*}" "${space#*|}" FRAME 144 >ref.y4m
  y4m "${space%|*}" "${space#*|}" 'FRAME Ip' 145 >dis.y4m
  status 0 -r ref.y4m -d dis.y4m -n --feature psnr --csv -o log.csv
  holds log.csv "$all"
  "$tool" -r - -d dis.y4m -n --feature psnr --csv -o pipe.csv <<<"" 2>stderr && fail "an empty pipe was accepted"
  # shellcheck disable=SC2002 # a pipe, not the file
  cat ref.y4m | "$tool" -r - -d dis.y4m -n --feature psnr --csv -o pipe.csv 2>stderr || fail "pipe: $(cat stderr)"
  holds pipe.csv "$all"
done
y4m 'W16 H16 F25:1 Ip Cmono' 256 FRAME 144 >ref.y4m
y4m 'W16 H16 F25:1 Ip Cmono' 256 FRAME 145 >dis.y4m
status 0 -r ref.y4m -d dis.y4m -n --feature psnr --frame_cnt 1 --csv -o log.csv
holds log.csv "Frame,psnr_y,
0,48.130804,"
# Deep samples behind a header of odd length: 0x6464 and 0x6465 are 25700 and 25701 of 16 bits.
y4m 'W16 H16 F25:1 Ip C420p16' 768 FRAME 144 >ref.y4m
y4m 'W16 H16 F25:1 Ip C420p16 ' 768 FRAME 144 >dis.y4m
status 0 -r ref.y4m -d dis.y4m -n --feature psnr --frame_cnt 1 --csv -o log.csv
holds log.csv "$header
0,108.000000,108.000000,108.000000,"
# Depths may not differ, but under AOM's later conditions.
y4m 'W16 H16 F25:1 Ip C420p10' 768 FRAME 0 >dis10.y4m
status 255 -r ref.yuv -d dis10.y4m "${raw[@]}" -n --feature psnr
says 'the inputs differ: the reference is 16x16 4:2:0 of 8 bits, the distorted video 16x16 4:2:0 of 10 bits'
# There the shallower samples are shifted. Models of ours stand in for VMAF's.
for name in vmaf_v0.6.1 vmaf_v0.6.1neg; do cp "$models/integer_rbf.json" "$name.json"; done
words() { LC_ALL=C awk -v n="$1" -v low="$2" -v high="$3" 'BEGIN { for (i = 0; i < n; ++i) printf "%c%c", low, high }'; }
y4m 'W224 H224 F25:1 Ip C420jpeg' 75264 FRAME 144 >ref8.y4m
{
  printf 'YUV4MPEG2 W224 H224 F25:1 Ip C420p10\n'
  for _ in 1 2 3; do printf 'FRAME\n' && words 75264 144 1; done
} >ref10.y4m
y4m 'W224 H224 F25:1 Ip C420p10' 150528 FRAME 1 >dis10.y4m
for reference in ref8 ref10; do
  status 0 -r $reference.y4m -d dis10.y4m --aom_ctc v7.0 --csv -o $reference.csv
done
cmp ref8.csv ref10.csv || fail '8 bits against 10 are not as 10 against 10'
status 255 -r ref8.y4m -d dis10.y4m --aom_ctc v5.0
says 'of 8 bits, the distorted video 224x224 4:2:0 of 10 bits'

# Bad command lines.
status 1
says 'the reference is missing'
status 1 -r ref.yuv
says 'the distorted video is missing'
status 1 -r ref.yuv -d dis.yuv -w 16
says 'raw files need all of'
for bad in '-w 0' '-w 1x' '-w -16' '-p 421' '-b 11' '--threads x' '--cpumask y' '--aom_ctc v9' '--nflx_ctc v2.0' \
  '--feature psnr=' '--feature psnr=enable_mse' '--feature psnr|vif' '-m version=a:foo' '-m version=a:vif=1' '-m name=x' \
  '-m version=a::x.y=1' '-m version=a -m version=b' '--bogus' 'stray' '--threads 5000' '--pool'; do
  # shellcheck disable=SC2086
  status 1 "${pair[@]}" -n --feature psnr $bad
done
status 1 "${pair[@]}" -n
says 'nothing to compute'

# What can't be opened, and options that the library refuses.
status 255 -r none.yuv -d dis.yuv "${raw[@]}" -n --feature psnr
says "'none.yuv' cannot be read: No such file or directory"
status 255 -r . -d dis.yuv "${raw[@]}" -n --feature psnr
says 'Is a directory'
status 255 -r ref.yuv -d dis.yuv -n --feature psnr
says "'ref.yuv' is no Y4M file"
status 255 "${pair[@]}" -n --feature psrn
says "did you mean 'psnr'?"
status 255 "${pair[@]}" -n --feature psnr=enable_chroma=1
status 255 "${pair[@]}" -n --feature psnr=bogus=1
status 255 "${pair[@]}" -n --feature psnr -o none/log
says "'none/log' cannot be written: No such file or directory"
for header in 'W16 F25:1' 'W16 H16' 'W0 H16 F25:1' 'W16 H16 F25:1 It' 'W16 H16 F25:1 C411' 'W16 H16 F25:1 C420paldv'; do
  y4m "$header" 384 FRAME 144 >bad.y4m
  status 255 -r bad.y4m -d bad.y4m -n --feature psnr
done

# Videos that are cut off or empty leave no log.
rm -f log.csv
head -c 1000 dis.yuv >cut.yuv
status 255 -r ref.yuv -d cut.yuv "${raw[@]}" -n --feature psnr -o log.csv
says "'cut.yuv' ends within frame 2"
: >empty.yuv
status 234 -r empty.yuv -d empty.yuv "${raw[@]}" -n --feature psnr -o log.csv
says 'there is no frame to score'
y4m 'W16 H16 F25:1 Ip' 384 FRAMX 144 >bad.y4m
status 255 -r bad.y4m -d bad.y4m -n --feature psnr -o log.csv
says 'has no FRAME header before frame 0'
[ ! -e log.csv ] || fail 'a failed run left a log'
ls ./*.partial 2>/dev/null && fail 'a failed run left a temporary file'

# The commands in the documents, without models: reference.y4m and distorted.y4m are large enough for every feature.
unset QUALITYCUDA_MODEL_PATH
y4m 'W256 H224 F25:1 Ip C420jpeg' 86016 FRAME 144 >reference.y4m
y4m 'W256 H224 F25:1 Ip C420jpeg' 86016 FRAME 145 >distorted.y4m
while IFS= read -r command; do
  read -ra arguments <<<"$command"
  status 0 "${arguments[@]:1}"
done < <(sed -n 's/^    qualitycuda /qualitycuda /p' "$documents"/*.md)
[ -s log.json ] || fail 'the command of the manual wrote no log'

status 0 --version
says '.'
status 0 --help
grep -q -- '--frame_skip_ref' stdout || fail 'the help text lacks options'
status 0 --list
grep -q '^psnr ' stdout || fail 'psnr is not listed'

[ "$failures" = 0 ] && echo "all passed"
exit "$((failures > 0))"
