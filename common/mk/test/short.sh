# What the short run of tests leaves out. Source it. `make test` sets SHORT=1; without it, as with `make test ALL=1`, nothing is left out.
#
#   is_repeated WORD      whether the short run has seen WORD before, so that what is like it is left out
#   is_out_of_turn N      whether N is of the two thirds of all numbers that the short run leaves out: the commit's tree says which third is in it, so that
#                         three commits or so have them all, and each has the same every time
#   left_out N WHAT       says so; run-tests.sh adds up what all tests say

declare -A short_seen=()
is_repeated() {
    [ -z "${SHORT:-}" ] || [ -z "${short_seen[$1]:-}" ] || return 0
    short_seen[$1]=1
    return 1
}
short_turn=$(git rev-parse 'HEAD^{tree}' 2>/dev/null | cksum | cut -d' ' -f1)
is_out_of_turn() { [ -n "${SHORT:-}" ] && [ $(((10#$1 + short_turn) % 3)) != 0 ]; }
left_out() { [ "$1" = 0 ] || echo "# left out: $1 $2"; }
