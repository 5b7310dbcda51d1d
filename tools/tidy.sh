#!/bin/sh
# clang-tidy over the sources that differ from the commit named (default: all of src/).
set -eu
cmake --preset dev -DSTENO_BUILD_TESTS=OFF >/dev/null
if [ $# -gt 0 ]; then
  files=$(git diff --name-only "$1" -- 'src/*.cc')
else
  files=$(git ls-files 'src/*.cc')
fi
[ -n "$files" ] || exit 0
# shellcheck disable=SC2086
echo $files | tr ' ' '\n' | xargs -P "$(nproc)" -n 4 clang-tidy -p build/dev --quiet
