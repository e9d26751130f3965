#!/bin/sh
# Runs log_consumers.py where Python is at hand.
command -v python3 >/dev/null || exit 77
exec python3 "${srcdir:-.}/tests/unit/log_consumers.py"
