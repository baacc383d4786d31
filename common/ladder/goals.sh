#!/bin/bash
# Do the best versions reach what a teacher should be able to show (goals.tsv)?
#
#   goals.sh LADDERS CEILINGS      the lines of ladder.h for large arrays, and those of grader/gpu/ceilings.cu from the same job
#
# A line a goal: met or missed, how far, and by which version. Marks are no versions. Status 1 when one is missed, or there is nothing to measure it by.
set -euo pipefail
awk -F'\t' '
    FILENAME == ARGV[1] { if (!/^#/) { key[++goals] = $1 SUBSEP $2; of[goals] = $3; least[goals] = $4 } next }
    $1 == "ceiling" { value[$2] = $3; unit[$2] = $4 }
    $1 != "ladder" || $10 != "right" { next }
    {
        k = $2 SUBSEP $3
        ms[k, $4] = $5
        if ($13 != "mark" && (!(k in best) || $5 < best[k])) { best[k] = $5; rung[k] = $4; bytes[k] = $8; flops[k] = $9 }
    }
    END {
        for (i = 1; i <= goals; i++) {
            k = key[i]
            split(k, part, SUBSEP)
            reached = ""
            if (k in best && (k, of[i]) in ms) reached = ms[k, of[i]] / best[k]
            else if (k in best && of[i] in value) reached = (unit[of[i]] == "GB/s" ? bytes[k] / 1e6 : flops[k] / 1e9) / best[k] / value[of[i]]
            met = reached != "" && reached >= least[i]
            missed += !met
            printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", met ? "met" : "missed", part[1], part[2], k in rung ? rung[k] : "-", of[i], least[i], reached == "" ? "-" : sprintf("%.3f", reached)
        }
        exit missed > 0
    }' "$(dirname "$0")/goals.tsv" "$2" "$1"
