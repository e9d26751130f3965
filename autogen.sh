#!/bin/sh
# Make the configure script from a fresh checkout.
set -e
cd "$(dirname "$0")"
exec autoreconf --install --force
