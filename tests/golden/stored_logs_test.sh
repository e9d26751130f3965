#!/usr/bin/env bash
# Compares logs of the tool qualitycuda with those that libvmaf's vmaf wrote (logs/NAME.FORMAT), byte for byte apart from version and
# speed: layout, order of columns, numbers. The videos are generated, the models are ours (tests/models). Runs in the build folder.
#
#     tests/golden/stored_logs_test.sh [VMAF]
#
# VMAF is a program ('vmaf --cpumask -1': the portable path) that writes the logs first. The exit status is 0 only if all logs agree.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
models=$here/../models
ours=./qualitycuda
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/generator/generate "$work" >"$work/scenes" || exit 1
read -ra peer <<<"${1:-}"

# Presets look for the models of their names.
for name in vmaf_v0.6.1 vmaf_4k_v0.6.1; do
  cp "$models/integer_rbf.json" "$work/$name.json"
  cp "$models/integer_neg_rbf.json" "$work/${name}neg.json"
done
export QUALITYCUDA_MODEL_PATH=$work
preset_models="-m path=$models/integer_rbf.json -m path=$models/integer_neg_rbf.json:name=vmaf_neg"
aom_v2="$preset_models --feature psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5 --feature ciede \
--feature float_ssim=enable_db=true:clip_db=true --feature float_ms_ssim=enable_db=true:clip_db=true --feature psnr_hvs"

# NAME|SCENE|FORMATS|OPTIONS|OPTIONS OF VMAF, if others
cases=(
  "model|blocks420|xml json csv sub|-m path=$models/integer_rbf.json"
  "two-models|blocks420|json csv|-m path=$models/integer_rbf.json:name=one:enable_transform -m path=$models/integer_neg_rbf.json:name=neg --feature psnr --feature float_ssim"
  "bootstrap|cut422|xml csv|-m path=$models/psnr_bootstrap.json:name=b -m path=$models/integer_rbf.json"
  "model-overload|blocks420|csv|-m path=$models/integer_rbf.json:vif.vif_enhn_gain_limit=1.12345678:disable_clip --feature motion=motion_force_zero=true"
  "subsample|cut422|xml json csv sub|-m path=$models/integer_rbf.json --subsample 4"
  "no-prediction|blocks420|csv|-m path=$models/integer_rbf.json -n --frame_cnt 2"
  "aggregates|cut422|xml json csv|-n --feature psnr=enable_apsnr=true:enable_mse=true --feature float_psnr --feature float_moment --feature float_ansnr"
  "debug|cut422|csv|-n --feature motion=motion_five_frame_window=true --feature adm=debug=true --feature vif=debug=true"
  "identical|identical444|xml json csv|-n --feature psnr_hvs --feature psnr=enable_apsnr=true --feature float_ssim=enable_db=true --feature float_ms_ssim"
  "one-frame|one-frame420|xml json|-m path=$models/integer_rbf.json --feature psnr"
  "nflx-ctc-v1.0|wide420|json csv|--nflx_ctc v1.0|$preset_models --feature psnr=enable_chroma=true:enable_apsnr=true --feature float_ssim=enable_db=true:clip_db=true --feature cambi"
  "aom-ctc-v1.0|wide420|csv|--aom_ctc v1.0|$aom_v2"
  "aom-ctc-v2.0|wide420|csv|--aom_ctc v2.0 --frame_cnt 1|$aom_v2 --frame_cnt 1"
  "aom-ctc-v3.0|wide420|xml json csv|--aom_ctc v3.0|$aom_v2 --feature cambi"
  "aom-ctc-v6.0|wide420|csv|--aom_ctc v6.0 --frame_cnt 1|$aom_v2 --feature cambi --frame_cnt 1"
  "aom-ctc-v7.0|wide420|json csv|--aom_ctc v7.0|${aom_v2/float_ssim=/float_ssim=scale=1:} --feature cambi"
  "float|blocks420|csv|-n --feature float_motion --feature float_vif --feature float_adm --feature motion --feature float_ms_ssim --subsample 2"
  "speed|wide420|csv|-n --feature speed_chroma --feature speed_temporal --feature cambi"
)

# What is the program's own: version and speed, and the white space after the speed.
common() { sed -E 's/("version": |<VMAF version=)"[^"]*"/\1""/; s/("?fps"?[=:] ?"?)[0-9.]+/\1/; s/ +$//' "$1"; }

passed=0
failed=0
for line in "${cases[@]}"; do
  IFS='|' read -r name scene formats options peer_options <<<"$line"
  read -r _ width height chroma depth _ < <(grep "^$scene " "$work/scenes")
  inputs="-r $work/$scene.ref.yuv -d $work/$scene.dis.yuv -w $width -h $height -p $chroma -b $depth -q"
  read -ra arguments <<<"$inputs $options"
  read -ra peer_arguments <<<"$inputs ${peer_options:-$options}"
  for format in $formats; do
    stored=$here/logs/$name.$format
    if ((${#peer[@]})); then
      "${peer[@]}" "${peer_arguments[@]}" --"$format" -o "$work/log" && common "$work/log" >"$stored"
    fi
    rm -f "$work/log"
    if "$ours" "${arguments[@]}" --"$format" -o "$work/log" && common "$work/log" | diff "$stored" - >"$work/difference"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED $name.$format"
      head -n 6 "$work/difference"
    fi
  done
done
echo "$passed passed, $failed failed"
((failed == 0))
