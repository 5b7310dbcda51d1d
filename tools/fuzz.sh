#!/bin/sh
# tools/fuzz.sh BUILD_DIR SECONDS [NAME]...: each fuzzer (or those named: audio, tokenizer, ...) for so long, from its
# seeds in fuzz/corpus. What it learns stays in BUILD_DIR/corpus; a finding is written to BUILD_DIR and ends the run.
set -eu
build=$1
seconds=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -eq 0 ]; then
  for program in "$build"/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] && set -- "$@" "${program##*/fuzz_}"
  done
fi
for name in "$@"; do
  mkdir -p "$build/corpus/$name"
  seeds=""
  [ -d "$root/fuzz/corpus/$name" ] && seeds="$root/fuzz/corpus/$name"
  [ "$name" = audio ] && seeds="$seeds $root/tests/support/audio_fixtures"
  # shellcheck disable=SC2086 # a list of folders on purpose
  "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="$build/$name-" -print_final_stats=1 "$build/corpus/$name" $seeds
done
