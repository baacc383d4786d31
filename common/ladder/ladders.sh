#!/bin/bash
# The ladders of all labs as a table: each version's time, how many times faster than the first it is, and bytes a second.
#
#   ladders.sh virtual|gpu [OPTIONS OF A LADDER...]      BUILD and CUDA_HOME are set by the Makefile
#
# With RAW=FILE the lines of ladder.h go there, too; VGPU_OPTIONS are for the virtual GPU.
set -euo pipefail
: "${BUILD:?}" "${CUDA_HOME:=}" "${RAW:=/dev/null}" "${VGPU_OPTIONS:=}"
device=$1
shift
: >"$RAW"
for ladder in "$BUILD"/ladders/*; do
    case $device in
    virtual) "$BUILD/bin/vgpu" --quiet $VGPU_OPTIONS "$ladder" "$@" ;;
    gpu) LD_LIBRARY_PATH=$CUDA_HOME/lib64 "$ladder" --repeats=15 --flush "$@" ;;
    *) echo "DEVICE is virtual or gpu, not '$device'" >&2; exit 2 ;;
    esac
done | tee -a "$RAW" | awk -F'\t' -v device="$device" '
    $1 != "ladder" { next }
    $2 != lab { lab = $2; first = 0; printf "%s (%s)\n", $2, device == "gpu" ? "measured" : "modelled" }
    $10 == "wrong" { printf "  %-18s wrong\n", $4; bad = 1; next }
    !first { first = $5 }
    { printf "  %-18s %10.4f ms %7.1f x %8.1f GB/s   %s\n", $4, $5, first / $5, $8 / $5 / 1e6, $11 }
    END { exit bad }'
