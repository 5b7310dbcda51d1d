#!/bin/sh
# Installs what steno needs from Debian 12/13 or Ubuntu 24.04, and nothing when it is all there.
#   tools/install_deps.sh [build|demo|test|lint|fuzz|speech]...     (default: build)
set -eu

fetch="python3 python3-pip ca-certificates"
build="$fetch g++ cmake ninja-build pkg-config libavformat-dev libavcodec-dev libavutil-dev libswresample-dev
  nlohmann-json3-dev libfmt-dev libcli11-dev zlib1g-dev libutf8proc-dev libcurl4-openssl-dev libssl-dev"
demo="pocketsphinx-testdata"
test="$demo libgtest-dev libgmock-dev libdnnl-dev ffmpeg qemu-user python3-numpy"
lint="clang-format clang-tidy"
fuzz="clang libclang-rt-dev"
speech="$fetch python3-venv $demo asterisk-core-sounds-en-wav asterisk-core-sounds-es-wav asterisk-core-sounds-fr-wav asterisk-core-sounds-it-wav"

wanted=""
for set in "${@:-build}"; do
  case "$set" in
    build) wanted="$wanted $build" ;;
    demo) wanted="$wanted $build $demo" ;;
    test) wanted="$wanted $build $test" ;;
    lint) wanted="$wanted $lint" ;;
    fuzz) wanted="$wanted $build $fuzz" ;;
    speech) wanted="$wanted $speech" ;;
    *) echo "install_deps: unknown set '$set' (build, demo, test, lint, fuzz, speech)" >&2; exit 2 ;;
  esac
done

missing=""
for package in $wanted; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "install_deps: no apt-get here. Install the equivalents of:$missing" >&2
  exit 1
fi
sudo=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install_deps: run as root, or install sudo, to get:$missing" >&2; exit 1; }
  sudo="sudo"
fi
echo "install_deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086 # a list of words on purpose
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
