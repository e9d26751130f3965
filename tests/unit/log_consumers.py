#!/usr/bin/env python3
"""Logs as the programs that people use read them.

What each program takes from a log of libvmaf's filter (from their public sources):

* ffmpeg-quality-metrics: json.load(); of each of "frames" the integer "frameNum" and all of "metrics" as numbers, which it averages
  by name; "vmaf" among them.
* Av1an: serde_json with frames[].metrics.vmaf, a number in every frame that is listed.
* ab-av1: no log; of ffmpeg's messages the number behind "VMAF score: ", which has to be the last of its line (tests/fate/list).
* tools that take the pooled score: pooled_metrics.vmaf.mean (min, max, harmonic_mean) of JSON; of XML the attributes of
  pooled_metrics/metric[@name="vmaf"], of frames/frame (frameNum, vmaf) and of fyi (fps).
* spreadsheets, FFMetrics and the like: CSV with a line of names, read by name.

Runs the tool in the build folder over a made-up video with a hand-made model. Exit status 77: skipped.
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

TOP = os.environ.get("srcdir", ".")
TOOL = os.path.abspath("qualitycuda")
FRAMES = 7
WIDTH, HEIGHT = 48, 32


def write_video(path, noise):
    """Gray noise around a gradient: `noise` is the amplitude of what is added to it."""
    source = random.Random(1)
    other = random.Random(2)
    with open(path, "wb") as f:
        f.write(b"YUV4MPEG2 W%d H%d F25:1 Ip C420jpeg\n" % (WIDTH, HEIGHT))
        for frame in range(FRAMES):
            samples = WIDTH * HEIGHT * 3 // 2
            f.write(b"FRAME\n")
            f.write(bytes(60 + (i + 3 * frame) % 100 + source.randrange(20) + (other.randrange(noise + frame) if noise else 0)
                          for i in range(samples)))


def log(folder, kind, *options):
    path = os.path.join(folder, "log." + kind)
    model = os.path.join(TOP, "tests", "models", "psnr_rbf.json")
    subprocess.run([TOOL, "-r", os.path.join(folder, "ref.y4m"), "-d", os.path.join(folder, "dis.y4m"), "-m", "path=" + model,
                    "--" + kind, "-o", path, "-q", *options], check=True)
    return path


def same(a, b):
    assert a == b, f"{a!r} is not {b!r}"


def mean_of(scores):
    """Pooled as libvmaf pools: one frame after the other."""
    total = 0.0
    for score in scores:
        total += score
    return total / len(scores)


def check_json(path, listed):
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    same(set(document), {"version", "fps", "frames", "pooled_metrics", "aggregate_metrics"})
    assert isinstance(document["version"], str)
    assert document["fps"] > 0
    same([int(frame["frameNum"]) for frame in document["frames"]], listed)
    averages = {}
    for frame in document["frames"]:
        assert isinstance(frame["metrics"]["vmaf"], float)
        for name, value in frame["metrics"].items():
            averages.setdefault(name, []).append(float(value))
    for name, values in averages.items():
        same(len(values), len(listed))
        pooled = document["pooled_metrics"][name]
        same(set(pooled), {"min", "max", "mean", "harmonic_mean"})
        same(pooled["mean"], mean_of(values))
        same(pooled["min"], min(values))
        same(pooled["max"], max(values))
    return averages


def check_xml(path, listed, expected):
    root = ElementTree.parse(path).getroot()
    same(root.tag, "VMAF")
    assert "version" in root.attrib
    same(root.find("params").attrib, {"qualityWidth": str(WIDTH), "qualityHeight": str(HEIGHT)})
    assert float(root.find("fyi").attrib["fps"]) > 0
    frames = root.findall("frames/frame")
    same([int(frame.attrib["frameNum"]) for frame in frames], listed)
    for name, values in expected.items():
        same([float(frame.attrib[name]) for frame in frames], values)
        metric = root.find(f"pooled_metrics/metric[@name='{name}']")
        same(float(metric.attrib["mean"]), mean_of(values))
        assert float(metric.attrib["harmonic_mean"]) <= float(metric.attrib["mean"])
    assert root.find("aggregate_metrics") is not None


def check_csv(path, listed, expected):
    with open(path, newline="", encoding="utf-8") as f:
        reader = csv.DictReader(f)
        rows = list(reader)
    # Names end with a comma, so the last one is empty.
    same(reader.fieldnames, ["Frame", *expected, ""])
    same([int(row["Frame"]) for row in rows], listed)
    for name, values in expected.items():
        same([float(row[name]) for row in rows], values)


def check_sub(path, listed, expected):
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    same(len(lines), len(listed))
    for i, (number, line) in enumerate(zip(listed, lines)):
        fields = line.split("|")
        same(fields[0], f"{{{number}}}{{{number + 1}}}frame: {number}")
        same(fields[-1], "")
        scores = dict(field.split(": ") for field in fields[1:-1])
        same({name: float(value) for name, value in scores.items()}, {name: values[i] for name, values in expected.items()})


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_video(os.path.join(folder, "ref.y4m"), 0)
        write_video(os.path.join(folder, "dis.y4m"), 12)
        for step in (1, 3):
            listed = list(range(0, FRAMES, step))
            options = ["--subsample", str(step), "--precision", "max"]
            expected = check_json(log(folder, "json", *options), listed)
            assert "vmaf" in expected and "psnr_y" in expected
            check_xml(log(folder, "xml", *options), listed, expected)
            check_csv(log(folder, "csv", *options), listed, expected)
            check_sub(log(folder, "sub", *options), listed, expected)
    print("all passed")


if __name__ == "__main__":
    sys.exit(main())
