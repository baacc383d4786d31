#!/bin/bash
# Does the modelled time put the versions of each ladder in the order in which the card does?
#
#   rank.sh MODELLED MEASURED [TAU_MIN]      both: lines of ladder.h
#
# Prints a line a rung with both times, Kendall's tau of each ladder and of all (pairs of rungs of one ladder), and the spread of
# modelled over measured. A pair whose measured medians differ by less than 5 %, or one of which lies
# among the times of the other, is a tie and left out. Rungs that only one of the
# files has are named and left out. Status 1 when tau of all is under TAU_MIN (0.9), 2 when there is no pair to compare.
set -euo pipefail
modelled=$1 measured=$2 least=${3:-0.9}
awk -F'\t' -v least="$least" '
    function key() { return $2 " " $3 }
    function among(time, ladder, rung) { return time >= from[ladder, rung] && time <= to[ladder, rung] }
    function tau(agree, differ) { return agree + differ ? (agree - differ) / (agree + differ) : 1 }
    $1 != "ladder" || $5 == "-" { next }
    FNR == NR { card[key(), $4] = $5; from[key(), $4] = $6; to[key(), $4] = $7; known[key(), $4] = key() ": " $4; next }
    !((key(), $4) in card) { printf "%s: %s: not measured\n", key(), $4; next }
    {
        if (!(key() in n)) order[++ladders] = key()
        name[key(), ++n[key()]] = $4
        model[key(), n[key()]] = $5
        delete known[key(), $4]
    }
    END {
        low = high = 1
        for (l = 1; l <= ladders; l++) {
            k = order[l]; agree = differ = ties = 0
            printf "%s\n  %-18s %12s %12s %7s\n", k, "version", "modelled ms", "measured ms", "ratio"
            for (i = 1; i <= n[k]; i++) {
                m = model[k, i]; c = card[k, name[k, i]]; r = m / c
                printf "  %-18s %12.4f %12.4f %7.2f\n", name[k, i], m, c, r
                logs += log(r); squares += log(r) ^ 2; rungs++
                low = rungs == 1 || r < low ? r : low; high = rungs == 1 || r > high ? r : high
                for (j = 1; j < i; j++) {
                    d = card[k, name[k, j]]
                    if ((c / d < 1.05 && d / c < 1.05) || among(c, k, name[k, j]) || among(d, k, name[k, i])) { ties++; continue }
                    if ((c > d) == (m > model[k, j]) && m != model[k, j]) agree++
                    else { differ++; printf "    other way round: %s and %s\n", name[k, j], name[k, i] }
                }
            }
            printf "  tau %.2f of %d pairs, %d ties\n", tau(agree, differ), agree + differ, ties
            all += agree; against += differ; tied += ties
        }
        for (k in known) missing++
        if (missing) printf "%d measured versions did not run here\n", missing
        if (all + against == 0) { print "no pair to compare"; exit 2 }
        spread = squares / rungs - (logs / rungs) ^ 2
        printf "all: tau %.3f of %d pairs (%d the other way round), %d ties left out\n", tau(all, against), all + against, against, tied
        printf "modelled / measured: geometric mean %.2f, times or divided by %.2f (one deviation), from %.2f to %.2f\n",
            exp(logs / rungs), exp(sqrt(spread > 0 ? spread : 0)), low, high
        exit tau(all, against) < least
    }' "$measured" "$modelled"
