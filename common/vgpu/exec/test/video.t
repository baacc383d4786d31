#!/bin/bash
# Video instructions and cvt.pack: every form of forms.sh that is here has the results that an H100 has. video.txt is what video.cpp printed there for
# these forms. Left out are those where the card does not do what the ISA says: scalar ones with .sat or a scale, those that write d.h1, and .min or
# .max as second operation of an unsigned result.
here=$(dirname "$0")
. "$KIT/common/vgpu/cudart/test/tap.sh"
command -v nvcc >/dev/null || { echo "1..0 # SKIP no nvcc"; exit 0; }
scalar='^v(add|sub|absdiff|min|max|shl|shr|mad|set)\.'
bash "$here/forms.sh" | LC_ALL=C sort -u | grep -E '^(v(add|sub|absdiff|min|max|avrg|shl|shr|mad|set)[24]?|cvt\.pack)\.' |
    grep -vE -e '-%r2,%r3,-%r4' -e "$scalar[^ ]*\.(sat|shr7|shr15)" -e "$scalar[^ ]* %r1\.h1" -e '^v(add|sub|min|max|shl|shr|set)\.u32\.[^ ]*\.(min|max) ' >"$scratch/forms"
nvcc -std=c++17 -cudart shared -o "$scratch/video" "$here/video.cpp" -lcuda >"$scratch/log" 2>&1
ok $? "nvcc builds video" "$scratch/log"
"$vgpu" --quiet --check=none "$scratch/video" <"$scratch/forms" >"$scratch/out" 2>"$scratch/err"
same "video exits 0" 0 $?
same "the results of hardware" "" "$(diff "$here/video.txt" "$scratch/out")"
same "over a thousand forms" 1 "$(($(wc -l <"$scratch/forms") > 1000))"
finish
