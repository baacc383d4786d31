#!/bin/bash
# The kit on a real GPU: every submission of every lab, compute-sanitizer, ceilings, the ladders, the profilers.
#
#   test-gpu OUT [PART...]     all PARTs of the list below, or those named, in the list's order
#
# LABS="NN-name ..." takes only those labs' submissions; LIMIT=455 is how many seconds it may take: the last part, which has most to do, ends then and says
# what is left; it begins with what grader/gpu/measured does not have. Stands in the bundle that `make gpu-bundle` makes, and needs gcc, make and nvcc beside it. What a part writes into OUT stands at the top of
# its file in parts/. Nothing runs beside what is timed.
#   results.json       date, card, driver, toolkit, and for each part its seconds and how much of it was as expected; what was not, by name
# `make record-gpu FROM=OUT` takes the figures into the repository. Ends with "N passed, N failed, N skipped"; the exit status is 1 when one failed.
set -uo pipefail
all_parts="ceilings ladders speed start submissions sandbox optional graded-sanitizer profile counters counters-graded sanitizer"
here=$(dirname "$(readlink -f "$0")")
out=$1
shift
wanted=" ${*:-$all_parts} "
export CUDA_HOME=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")}
export LD_LIBRARY_PATH=$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
processors=$(nproc)
mkdir -p "$out"
out=$(readlink -f "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$here" || exit 2
command -v bwrap >/dev/null || PATH=$PATH:$here/bin
command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1 || { echo "test-gpu: no GPU answers on this machine (nvidia-smi -L)" >&2; exit 2; }
gpus=$(nvidia-smi -L | grep -c '^GPU ')
deadline=$(($(date +%s) + ${LIMIT:-455}))
export work gpus deadline

passed=0 failed=0 skipped=0 failures='' parts_done=''
quoted() { printf '"%s"' "$(sed 's/[\\"]/\\&/g' <<<"$1" | tr -d '\000-\037')"; }
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); failures+="${failures:+,}$(quoted "$*")"; echo "FAIL $*"; }
skip() { skipped=$((skipped + 1)); echo "skip $*"; }
wants() { local p; for p; do [[ $wanted = *" $p "* ]] && return 0; done; return 1; }
sources_of() { build/bin/labtool files "labs/$1" | grep '\.cu$'; }
# broken/no-guard.cu -> no-guard, broken/half-mended/smooth.cu -> half-mended-smooth
name_of() { local s=${1#*/broken/}; s=${s%.cu}; [ "$s" != "${1%.cu}" ] || s=$(basename "$s"); echo "${s//\//-}"; }
export -f sources_of name_of
labs=${LABS:-$(cd solutions && echo [0-9][0-9]-*)}
for file in parts/*.sh; do . "$file"; done
for part in $wanted; do declare -F "part_$part" >/dev/null || { echo "test-gpu: there is no part $part (there are: $all_parts)" >&2; exit 2; }; done

build_programs() {
    if wants ceilings; then build_ceilings; fi
    if wants ladders counters; then build_ladders; fi
    if wants start; then build_start; fi
}

# Written after each part, so that a call that is cut short leaves what was done.
write_results() {
    local card toolkit
    card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)
    toolkit=$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    printf '{"date":"%s","card":"%s","driver":"%s","toolkit":"%s",\n"parts":[%s],\n"failures":[%s],\n"passed":%d,"failed":%d,"skipped":%d,"seconds":%d}\n' "$(date -u +%F)" \
        "${card%%,*}" "${card##*, }" "$toolkit" "$parts_done" "$failures" "$passed" "$failed" "$skipped" "$SECONDS" >"$out/results.json"
}

run_part() {
    local name=$1 began=$SECONDS before=($passed $failed $skipped)
    echo "== $name ($SECONDS s)"
    "part_$name"
    parts_done+="${parts_done:+,}$(printf '\n{"part":"%s","seconds":%d,"passed":%d,"failed":%d,"skipped":%d}' "$name" $((SECONDS - began)) \
        $((passed - before[0])) $((failed - before[1])) $((skipped - before[2])))"
    write_results
}

build_programs >"$out/build.txt" 2>&1
echo "built ($SECONDS s)"
for part in $all_parts; do
    if wants "$part"; then run_part "$part"; fi
done
cat "$out/results.json"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
