#!/bin/sh
# tools/demo.sh STENO: real recordings (LibriVox readers, from Debian's pocketsphinx-testdata) to text.
set -eu
steno=$1
recordings=/usr/share/pocketsphinx/test/data/librivox
[ -d "$recordings" ] || { echo "demo: no recordings at $recordings (apt-get install pocketsphinx-testdata)" >&2; exit 1; }
set -- "$recordings"/*.wav
echo "demo: $steno transcribe -l en -f vtt -o build/demo $recordings/*.wav"
mkdir -p build/demo
"$steno" transcribe -l en -f vtt -o build/demo "$@"
for file in build/demo/*.vtt; do
  echo
  echo "== $(basename "$file" .vtt)"
  tail -n +3 "$file" | grep -v '^$'
done
