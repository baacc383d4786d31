#!/bin/bash
# Takes what test-gpu wrote on a card into the repository, with the date, the card, the driver and the toolkit.
#
#   record.sh FROM [FIGURES]    FROM is test-gpu's OUT; `make record-gpu FROM=...` makes the pages and tables that come from the figures afterwards
#
# FIGURES are those to take, of: ceilings ladders large counters broken submissions graded-sanitizer counters-graded speed goals results; all that are there without it.
#
# Files are named after the card: h100-ladders.tsv. Rows of labs, or of broken submissions, that the run did not have stay as they were.
#   common/ladder/measured     CARD-{ceilings,ladders,ladders-large,counters,goals}.tsv
#   grader/gpu/measured        CARD-{broken,submissions,graded-sanitizer,counters-graded,speed}.tsv CARD-results.json
set -euo pipefail
export LC_ALL=C
from=$1
figures=${2:-ceilings ladders large counters broken submissions graded-sanitizer counters-graded speed goals results}
takes() { [[ " $figures " = *" $1 "* ]]; }
[ -s "$from/results.json" ] || { echo "record-gpu: $from holds no results.json of test-gpu" >&2; exit 2; }
value() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$from/results.json" | head -1; }
card=$(value card)
name=$(sed 's/^NVIDIA *//; s/[ -].*//' <<<"$card" | tr '[:upper:]' '[:lower:]')
[ -n "$name" ] || { echo "record-gpu: $from/results.json names no card" >&2; exit 2; }
where="$card, driver $(value driver), CUDA $(value toolkit), $(value date)"
ladders=common/ladder/measured/$name
gpu=grader/gpu/measured/$name
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# KEYS FILE HEAD: puts the rows of standard input into FILE below HEAD; rows there stay whose first KEYS fields are none of theirs. In the order of the first fields.
merge() {
    local keys=$1 file=$2 head=$3
    cat >"$work/new"
    [ -s "$work/new" ] || return 0
    grep -v '^#' "$file" 2>/dev/null >"$work/old" || true
    { echo "$head"; awk -F'\t' -v keys="$keys" '
        function key(  k, i) { for (i = 1; i <= keys; i++) k = k FS $(i + skip); return k }
        { skip = $1 == "ladder" && $2 ~ /^[0-9]/ } # the lines of ladder.h say first what they are
        FNR == NR { seen[key()] = 1; rows[++n] = $0; first[n] = key(); next }
        !(key() in seen) { rows[++n] = $0; first[n] = key() }
        END { for (i = 1; i <= n; i++) printf "%s\t%d\t%s\n", first[i] == "" ? "" : substr(first[i], 2), i, rows[i] }
    ' "$work/new" "$work/old" | sort -t$'\t' -s -k1,"$keys" | cut -f$((keys + 2))-; } >"$work/merged"
    cp "$work/merged" "$file"
    echo "$file"
}

repeats() { sed -n "s/^$1=//p" grader/gpu/parts/ladders.sh; }
ladder_head() { echo "# grader/gpu/test-gpu.sh, part ladders, $1, $2 repeats, L2 flushed before each, on an $where; fields: common/ladder/ladder.h"; }

# From Nsight Compute's pages (a head, a line of units, a line a launch, every field quoted) to a line a launch.
launches() {
    local columns="smsp__inst_executed.sum l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
        l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
        l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum dram__bytes_read.sum dram__bytes_write.sum gpu__time_duration.sum"
    awk -v columns="$columns" '
        function line(  text) { text = $0; sub(/^"/, "", text); sub(/"\r?$/, "", text); return split(text, field, /","/) }
        BEGIN { n = split(columns, wanted, /[ \n]+/); head = "ladder\tkernel\tgrid"; for (i = 1; i <= n; i++) head = head "\t" wanted[i]; print head }
        FNR == 1 { split("", at); for (i = line(); i > 0; i--) at[field[i]] = i; lab = FILENAME; sub(/.*\//, "", lab); sub(/\.csv$/, "", lab); next }
        FNR == 2 { next }
        {
            line()
            kernel = field[at["Kernel Name"]]
            grid = field[at["Grid Size"]]
            sub(/\(.*/, "", kernel)
            if (kernel ~ /cublas|cutlass|nvjet/) next # not ours
            gsub(/[() ]/, "", grid)
            row = lab "\t" kernel "\t" grid
            for (i = 1; i <= n; i++) { v = field[at[wanted[i]]]; gsub(/,/, "", v); row = row "\t" v }
            print row
        }' "$from"/counters/*.csv
}

if takes ceilings && [ -s "$from/ceilings.tsv" ]; then
    { echo "# grader/gpu/ceilings.cu on an $where; fields: ceiling NAME VALUE UNIT"; cat "$from/ceilings.tsv"; } >"$ladders-ceilings.tsv"
    echo "$ladders-ceilings.tsv"
fi
! takes ladders || [ ! -s "$from/ladders.tsv" ] || merge 1 "$ladders-ladders.tsv" "$(ladder_head "default sizes" "$(repeats REPEATS)")" <"$from/ladders.tsv"
! takes large || [ ! -s "$from/large.tsv" ] || merge 1 "$ladders-ladders-large.tsv" "$(ladder_head "large sizes" "$(repeats REPEATS_LARGE)")" <"$from/large.tsv"
if takes counters && compgen -G "$from/counters/*.csv" >/dev/null; then
    launches >"$work/launches"
    sed -i '/^ladder\tkernel\t/d' "$ladders-counters.tsv" 2>/dev/null || true
    tail -n +2 "$work/launches" | merge 1 "$ladders-counters.tsv" "# Nsight Compute on the ladders at their default sizes, $where, -arch=native; a line a launch, in order"
    sed -i "1r /dev/stdin" "$ladders-counters.tsv" < <(head -1 "$work/launches")
fi
! takes broken || [ ! -s "$from/sanitizer.tsv" ] || awk -f grader/gpu/condense.awk "$from/sanitizer.tsv" |
    merge 2 "$gpu-broken.tsv" "# $where; one public case each (grader/gpu/test-gpu.sh, part sanitizer)"$'\n# lab\tsubmission\tplain run\tmemcheck\tracecheck\tinitcheck\tsynccheck'
! takes submissions || [ ! -s "$from/submissions.tsv" ] || merge 2 "$gpu-submissions.tsv" "# $where; lab, right submission, verdict, points, of how many (part submissions)" <"$from/submissions.tsv"
! takes graded-sanitizer || [ ! -s "$from/graded-sanitizer.tsv" ] || merge 2 "$gpu-graded-sanitizer.tsv" "# $where; lab, submission, verdict on the virtual GPU, verdict of grade --sanitize, kinds of findings" <"$from/graded-sanitizer.tsv"
! takes counters-graded || [ ! -s "$from/counters-graded.tsv" ] || merge 2 "$gpu-counters-graded.tsv" "# $where; submission to the lab with answers about counters, case, verdict, points, of how many, what was said of the counters, what Nsight Compute counted (grader/gpu/parts/counters-graded.sh)" <"$from/counters-graded.tsv"
! takes speed || [ ! -s "$from/speed.tsv" ] || merge 3 "$gpu-speed.tsv" "# $where; lab, case, submission, verdict, points, of how many, and what was measured (grader/gpu/parts/speed.sh)" <"$from/speed.tsv"
! takes goals || [ ! -s "$from/goals.tsv" ] || merge 3 "$ladders-goals.tsv" "# $where; common/ladder/goals.sh: met or missed, lab, ladder, best version, beside what, at least, reached" <"$from/goals.tsv"
takes results || exit 0
cp "$from/results.json" "$gpu-results.json"
echo "$gpu-results.json"
