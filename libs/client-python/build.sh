#!/bin/sh
# Builds the wheel and the sdist into a directory, with the Python that has Debian's python3-build and python3-hatchling. The check of
# dependencies is skipped: Debian's hatchling comes without one that only editable installations need.
rm -rf "$1"
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import build, hatchling' 2>/dev/null; then
    exec "$python" -m build --no-isolation --skip-dependency-check --outdir "$1" "$(dirname "$0")"
  fi
done
echo 'Skipped: python3-build and python3-hatchling are not installed.'
