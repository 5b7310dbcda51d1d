#!/bin/sh
# Made once with ffmpeg 5.1 and committed; tests read the files and need no ffmpeg program.
# Each holds 3.0 s: silence, a 1 kHz tone of amplitude 0.5 from 1.000 s to 2.000 s, silence.
set -eu
cd "$(dirname "$0")"
tone="aevalsrc=0.5*sin(2*PI*1000*t)*gte(t\,1)*lt(t\,2):d=3"
make() { ffmpeg -nostdin -y -loglevel error -bitexact "$@"; }

make -f lavfi -i "$tone:s=44100" -c:a libmp3lame -b:a 32k tone.mp3
make -f lavfi -i "$tone:s=44100" -c:a libmp3lame -q:a 9 -write_xing 0 tone_vbr_no_xing.mp3
make -f lavfi -i "$tone:s=44100" -c:a aac -b:a 24k tone.m4a
make -f lavfi -i "$tone:s=16000" -c:a libopus -b:a 16k tone.opus
make -f lavfi -i "$tone:s=16000" -c:a libopus -b:a 16k -live 1 tone_live.webm
make -f lavfi -i "$tone:s=16000" -c:a flac tone.flac
make -f lavfi -i "$tone:s=22050" -c:a libvorbis -q:a 0 tone.ogg
make -f lavfi -i "color=c=blue:s=32x32:r=5:d=1" -c:v libx264 -pix_fmt yuv420p video_only.mp4
make -f lavfi -i "color=c=blue:s=32x32:r=5:d=3" -f lavfi -i "$tone:s=16000" \
  -f lavfi -i "sine=f=500:r=16000:d=3" -map 0 -map 1 -map 2 -c:v libx264 -pix_fmt yuv420p \
  -c:a libopus -b:a 12k -metadata:s:a:0 language=jpn -metadata:s:a:1 language=eng \
  -disposition:a:0 0 -disposition:a:1 default two_tracks.mkv
make -f lavfi -i "color=c=red:s=64x64" -frames:v 1 picture.png
make -i tone.mp3 -i picture.png -map 0 -map 1 -c:a copy -c:v copy -disposition:v attached_pic \
  tone_with_cover.mp3
# Not 3 s but 13, of noise; so quiet that the file is small.
make -f lavfi -i "anoisesrc=d=13:c=pink:r=8000:a=0.0003:seed=7" -sample_fmt s16 -c:a flac -compression_level 12 noise.flac
