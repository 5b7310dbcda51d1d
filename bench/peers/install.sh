#!/bin/sh
# Puts the peers into a virtual environment:  bench/peers/install.sh build/peers-venv
# What cannot be had is named and left out; compare.py then skips that peer.
set -eu
venv=$1
here=$(dirname "$0")
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
pip="$venv/bin/pip --disable-pip-version-check --quiet"
$pip install -r "$here/../../tools/eval/requirements.txt"
# torch without CUDA is not on PyPI and a twentieth of the size; where its own index cannot be reached, PyPI's does as well.
"$venv/bin/python" -c 'import torch' 2>/dev/null || $pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu 2>/dev/null || true
grep -v '^#' "$here/packages.txt" | while read -r packages; do
  # shellcheck disable=SC2086 # a list of words on purpose
  $pip install $packages || echo "peers: left out: $packages" >&2
done
