#!/bin/bash
# The virtual GPU's counters beside Nsight Compute's, for every launch of the ladders: a table in Markdown.
#
#   calibrate.sh [MEASURED]     MEASURED: grader/gpu's counters of a card, common/ladder/measured/h100-counters.tsv without one
#
# BUILD names the build folder. OURS=FILE keeps what the virtual GPU counted; where the file is there, nothing is run.
# A cell is "N" where both count the same, "ours / theirs" where they differ; the first column of numbers is the ratio of
# instructions, ours counted on PTX and theirs on machine code; kernels without shared memory have no wavefronts. A measured launch is paired with the one of the
# same kernel, grid and number; exit status 1 when there is none.
set -euo pipefail
: "${BUILD:?}"
measured=${1:-common/ladder/measured/h100-counters.tsv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

count() {
    for lab in $(awk -F'\t' '!/^#/ && NR > 2 { print $1 }' "$measured" | uniq); do
        "$BUILD/bin/vgpu" --quiet --device=h100 --check=none --report="$work/report.json" "$BUILD/ladders/$lab" >/dev/null
        jq -r --arg lab "$lab" '.launches[] | .counters as $c | [$lab, (.kernel | sub("\\(.*"; "")), (.grid | join(",")), $c.warp_instructions,
            $c.global_load_requests, $c.global_load_sectors, $c.global_store_requests, $c.global_store_sectors, $c.global_atomic_sectors,
            $c.shared_wavefronts, $c.shared_bank_conflicts] | @tsv' "$work/report.json"
    done
}
ours=${OURS:-$work/ours}
[ -s "$ours" ] || count >"$ours"
grep -v '^#' "$measured" | tail -n +2 | cut -f1-11 >"$work/theirs"
awk -F'\t' '
    function cell(ours, theirs) { return ours == theirs ? ours : ours " / " theirs }
    { sub(/<true>/, "<1>"); sub(/<false>/, "<0>") } # Nsight Compute writes arguments of templates as numbers
    NR == FNR { ours[$1, $2, $3, ++had[$1, $2, $3]] = $0; next }
    FNR == 1 {
        print "| kernel | instructions, ratio | load requests | load sectors | store requests | store sectors | atomic sectors | shared wavefronts | bank conflicts |"
        print "|---|---|---|---|---|---|---|---|---|"
    }
    {
        key = $1 SUBSEP $2 SUBSEP $3
        if (!((key, ++met[key]) in ours)) {
            print "calibrate: no launch like the measured " $1 " " $2 " <<<" $3 ">>>" >"/dev/stderr"
            exit 1
        }
        split(ours[key, met[key]], mine, "\t")
        if (met[key] > 1)
            next
        row = sprintf("| %s `%s` %s | %.2f |", substr($1, 1, 2), $2, $3, mine[4] / $4)
        for (i = 5; i <= 11; i++)
            row = row " " (i >= 10 && mine[10] == 0 ? "" : cell(mine[i], $i)) " |"
        print row
    }' "$ours" "$work/theirs"
