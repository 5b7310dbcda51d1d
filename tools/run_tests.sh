#!/bin/sh
# tools/run_tests.sh BUILD_DIR: every test, with the models that `make models` fetched.
set -eu
cache=${STENO_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/steno/models}
export STENO_TEST_MODELS="${STENO_TEST_MODELS:-$cache}"
exec ctest --test-dir "$1" --output-on-failure -j "$(nproc)"
