#!/bin/bash
# The counters of all ladders beside Nsight Compute's: requests and sectors are the same, the table in docs/vgpu.md is current, and a difference shows.
set -uo pipefail
: "${BUILD:?}" "${KIT:?}"
cd "$KIT" || exit 2
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; printf '%s\n' "${3:-}" | sed 's/^/# /' | head -60; fi; }
command -v nvcc >/dev/null || { echo "1..0 # SKIP nvcc is not here"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s BUILD="$BUILD" ladder-programs >"$tmp/log" 2>&1
result $? "the ladders are built" "$(cat "$tmp/log")"
export OURS=$tmp/ours # counted once for all three
common/ladder/calibrate.sh >"$tmp/table" 2>"$tmp/said"
result $? "each measured launch has its like: $(tail -n +3 "$tmp/table" | wc -l) kernels" "$(cat "$tmp/said")"
# What is explained in docs/vgpu.md, below the table, is named in explained.txt by the start of its row.
differ() { tail -n +3 "$1" | grep -vF -f common/ladder/explained.txt | awk -F'|' '{ for (i = 4; i <= 8; i++) if ($i ~ "/") print }'; }
[ -z "$(differ "$tmp/table")" ]
result $? "requests and sectors of global memory are the same in all, or explained" "$(differ "$tmp/table")"
! grep -F -f common/ladder/explained.txt "$tmp/table" | awk -F'|' '{ for (i = 4; i <= 8; i++) if ($i ~ "/") n++ } END { exit n > 0 }'
result $? "what is explained differs indeed" "$(grep -F -f common/ladder/explained.txt "$tmp/table")"
diff <(sed -n '/<!-- calibration -->/,/<!-- end calibration -->/p' docs/vgpu.md | grep -v '^<!--') "$tmp/table" >"$tmp/diff"
result $? "docs/vgpu.md has this table (make calibration)" "$(cat "$tmp/diff")"

awk -F'\t' -v OFS='\t' '$2 == "add_one_each" { $6++ } { print }' common/ladder/measured/h100-counters.tsv >"$tmp/changed"
common/ladder/calibrate.sh "$tmp/changed" >"$tmp/other" 2>&1
[ "$(differ "$tmp/other" | wc -l)" = 1 ]
result $? "the control: a sector more shows" "$(cat "$tmp/other")"
sed 's/add_one_each/add_none/' common/ladder/measured/h100-counters.tsv >"$tmp/changed"
! common/ladder/calibrate.sh "$tmp/changed" >"$tmp/other" 2>&1 && grep -q 'no launch like the measured 02-vector-add add_none' "$tmp/other"
result $? "the control: a kernel that does not run is told" "$(cat "$tmp/other")"
echo "1..$n"
