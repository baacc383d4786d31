#!/bin/bash
# Plain C on one core, the virtual GPU and a GPU, lab by lab: a table, and a picture of how many times faster than the C the best version is.
#
#   bench.sh virtual|gpu [PICTURE.svg]      BUILD and CUDA_HOME are set by the Makefile
#
# "virtual GPU" is what its run took on this machine, checks off; "GPU" is the card's own time: measured with gpu, modelled for MODEL (h100) with virtual.
# Arrays are on the device already. SIZE=default|large|test takes that size of each ladder. Times depend on the machine; nothing is decided by them.
set -euo pipefail
: "${BUILD:?}" "${CUDA_HOME:=}" "${MODEL:=h100}" "${SIZE:=default}"
device=$1
picture=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

size_option() { # LAB: --size=N as the ladder's source says, nothing for its default
    [ "$SIZE" = default ] || echo "--size=$(($(sed -n "s/^#define ${SIZE^^}_SIZE *//p" "solutions/$1/ladder.cu")))"
}
for ladder in "$BUILD"/ladders/*; do
    options=$(size_option "${ladder##*/}")
    case $device in
    virtual) "$BUILD/bin/vgpu" --quiet --device="$MODEL" --check=none "$ladder" --cpu --repeats=3 $options ;;
    gpu) LD_LIBRARY_PATH=$CUDA_HOME/lib64 "$ladder" --cpu --flush --repeats=15 $options ;;
    *) echo "DEVICE is virtual or gpu, not '$device'" >&2; exit 2 ;;
    esac
done >"$work/lines"

awk -F'\t' -v device="$device" -v model="$MODEL" -v plot="$work/plot" '
    $1 != "ladder" { next }
    $10 == "wrong" { print "wrong: " $2 " " $4 >"/dev/stderr"; bad = 1; next }
    !(($2, $3) in cpu) && $4 == "cpu" { cpu[$2, $3] = $5; order[++n] = $2 SUBSEP $3; next }
    $13 != "mark" && (!(($2, $3) in best) || $5 < best[$2, $3]) { best[$2, $3] = $5; rung[$2, $3] = $4; here[$2, $3] = $12 }
    END {
        gpu = device == "gpu" ? "GPU, ms" : "GPU (" model ", modelled), ms"
        printf "%-46s %12s %15s %26s %10s\n", "the best version", "plain C, ms", device == "gpu" ? "" : "virtual GPU, ms", gpu, "speed-up"
        for (i = 1; i <= n; i++) {
            k = order[i]
            split(k, part, SUBSEP)
            name = part[1] " " part[2] ", " rung[k]
            printf "%-46s %12.3f %15s %26.4f %9.1fx\n", name, cpu[k], device == "gpu" ? "" : sprintf("%.1f", here[k]), best[k], cpu[k] / best[k]
            printf "%s\t%.3f\n", part[1] (part[2] == "all-one-value" ? ", one value" : ""), cpu[k] / best[k] >plot
        }
        exit bad
    }' "$work/lines" | sed 's/ *$//'

[ -n "$picture" ] || exit 0
command -v gnuplot >/dev/null || { echo "no picture: gnuplot is not here (make setup-all)"; exit 0; }
gnuplot <<END
set terminal svg size 760,420 font "sans-serif,13" background "white"
set output "$picture"
set datafile separator "\t"
set title "How many times faster than plain C on one core ($([ "$device" = gpu ] && echo measured || echo "GPU time modelled: $MODEL"))"
set logscale x
set grid xtics
set style fill solid 0.8 noborder
set yrange [$(wc -l <"$work/plot") - 0.5:-0.5]
unset key
set lmargin 26
plot "$work/plot" using (\$2/2):0:(\$2/2):(0.35):ytic(1) with boxxyerror linecolor rgb "#4477aa", \
     "" using 2:0:(sprintf("  %.0fx", \$2)) with labels left
END
echo "picture: $picture"
