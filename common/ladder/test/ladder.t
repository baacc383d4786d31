#!/bin/bash
# Every ladder of the labs at an odd size: all rungs right under all checks; a wrong rung, a bad option and a CUDA error are told.
set -uo pipefail
: "${BUILD:?}" "${KIT:?}"
command -v nvcc >/dev/null || { echo "1..0 # SKIP nvcc is not here"; exit 0; }
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; printf '%s\n' "${3:-}" | sed 's/^/# /' | head -20; fi; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s -C "$KIT" BUILD="$BUILD" ladder-programs >"$tmp/make" 2>&1
result $? "the ladders build" "$(cat "$tmp/make")"

for ladder in "$BUILD"/ladders/*; do
    odd=$(sed -n 's/^#define TEST_SIZE *//p' "$KIT/solutions/$(basename "$ladder")/ladder.cu")
    out=$("$BUILD/bin/vgpu" "$ladder" --size=$((odd)) 2>&1)
    status=$?
    wrong=$(grep -v '^vgpu: no findings' <<<"$out" | grep -cv '^ladder.*	right	')
    [ "$status" = 0 ] && [ "$wrong" = 0 ] && [ "$(wc -l <<<"$out")" -ge 3 ]
    result $? "$(basename "$ladder"): every rung right, no finding" "$out"
done

# The control: a rung that leaves out the last element.
mkdir "$tmp/broken"
sed 's/if (i < n)$/if (i < n - 1)/' "$KIT/solutions/02-vector-add/ladder.cu" >"$tmp/broken/ladder.cu"
(cd "$KIT" && nvcc -arch=compute_75 -cudart shared -I. -Icommon/lab -o "$tmp/broken/ladder" "$tmp/broken/ladder.cu" common/ladder/ladder.c common/lab/cuda_check.c) >"$tmp/make" 2>&1
out=$("$BUILD/bin/vgpu" --quiet "$tmp/broken/ladder" --size=1000 2>&1)
status=$?
[ "$status" = 1 ] && grep -q $'\tone-each\t-\t-\t-\t.*\twrong\t' <<<"$out" && grep -q $'\tfour-each\t.*\tright\t' <<<"$out"
result $? "a wrong rung has no time, and the ladder ends with 1" "$out"

"$BUILD/bin/vgpu" --quiet "$tmp/broken/ladder" --sise=3 >"$tmp/out" 2>&1
[ $? = 2 ] && grep -q 'usage' "$tmp/out"
result $? "an unknown option is told" "$(cat "$tmp/out")"
echo "1..$n"
