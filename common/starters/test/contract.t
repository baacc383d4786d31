#!/bin/bash
# Each sentence of a lab's header, and the cases that ask it (common/starters/contract.pl): the tables in notes.md have the sentences that the
# headers have, a case or a reason for each, and every case.
set -uo pipefail
: "${KIT:?}"
cd "$KIT" || exit 2
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; printf '%s\n' "${3:-}" | sed 's/^/# /' | head -40; fi; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# LAB.YAML HIDDEN.YAML: a line for each case, its name and TODO.
cases_of() { awk 'FNR == 1 { on = 0 } /^[a-z]/ { on = /^cases:/ } on && /^  - name: / { name = $3 } on && /^    todo: / { print name, $2 }' "$@"; }

# CASES NOTES: what is wrong with the table's last column.
wrong_cells() {
    awk -F'|' '
        function take(pattern, found, name) {
            gsub(/[.]/, "[.]", pattern); gsub(/\*/, ".*", pattern)
            for (name in todo) if (name ~ "^" pattern "$") { asked[name] = 1; found = 1 }
            return found
        }
        FILENAME == ARGV[1] { split($0, c, " "); todo[c[1]] = c[2]; next }
        /^<!-- contract -->/ { on = 1; next }
        /^<!-- end contract -->/ { on = 0 }
        !on || /^\| of \|/ || /^\|---/ { next }
        {
            cell = $(NF - 1); of = $2; gsub(/^ +| +$/, "", cell); gsub(/^ +| +$/, "", of)
            rows++
            if (cell == "") { print "no case asks: " $0; next }
            if (cell ~ /^\(.*\)$/) { reasons++; next }
            k = split(cell, words, /, */)
            own = 0
            for (i = 1; i <= k; i++) {
                if (words[i] == "all") { whole = own = 1; continue }
                found = 0
                if (words[i] ~ /^(TODO|Request) [0-9]+$/) { number = words[i]; sub(/.* /, "", number); for (name in todo) if (todo[name] == number) { asked[name] = 1; found = 1 } }
                else found = take(words[i])
                if (!found) print "there is no case " words[i] ": " $0
            }
        }
        END {
            if (rows == 0) print "there is no table"
            if (reasons * 2 > rows) print reasons " of " rows " sentences have a reason in place of a case"
            for (name in todo) if (!(name in asked)) print "no sentence names the case " name
        }' "$1" "$2" | sort
}

# WHAT HEADER NOTES LAB.YAML HIDDEN.YAML
check_lab() {
    common/starters/contract.pl "$2" "$3" >"$tmp/now" 2>"$tmp/said" && cmp -s "$tmp/now" "$3"
    result $? "$1: notes.md has the sentences of the header" "$(cat "$tmp/said"; diff "$3" "$tmp/now") -- make contracts"
    cases_of "$4" "$5" >"$tmp/cases"
    wrong=$(wrong_cells "$tmp/cases" "$3")
    [ -z "$wrong" ]
    result $? "$1: each sentence has its cases, and each case its sentence" "$wrong"
}
for lab in labs/[0-9]*/; do
    lab=$(basename "$lab")
    stem=${lab#*-}
    check_lab "$lab" "labs/$lab/${stem//-/_}.h" "solutions/$lab/notes.md" "labs/$lab/lab.yaml" "solutions/$lab/hidden.yaml"
done
template=common/starters/template
for file in labs/STEM.h solutions/notes.md; do sed 's/@STEM@/saxpy/g' "$template/$file" >"$tmp/${file##*/}"; done
check_lab "the lab that \`make new-lab\` makes" "$tmp/STEM.h" "$tmp/notes.md" "$template/labs/lab.yaml" "$template/solutions/hidden.yaml"

cat >"$tmp/small.h" <<'END'
/* Lab 99: what you write, in small.cu.
 *
 * All pointers are to device memory. n is 1 or more
 *
 *   - given in ints.
 */
#define SIZE 4 /* no sentence of its own */
int given(void);

/* TODO 1: out[i] = in[0] + ... + in[i]. It is
 *
 *   - exact;
 *   - as in
 *
 *       out[i] = 1
 *       out[i] = 2
 *
 * n   how many, 1 to 9
 * in  what is
 *     added up
 *
 * *count stays. */
int run(int *out, int n, int *count);
/* ---- For driver.c: nobody's sentence. ---- */
END
printf '# Notes\n<!-- contract -->\n| TODO 1 | \\*count stays. | one |\n<!-- end contract -->\nAfter.\n' >"$tmp/notes.md"
common/starters/contract.pl "$tmp/small.h" "$tmp/notes.md" >"$tmp/now"
cat >"$tmp/wanted" <<'END'
# Notes
<!-- contract -->
| of | sentence | cases |
|---|---|---|
| all | All pointers are to device memory. |  |
| all | n is 1 or more given in ints. |  |
| TODO 1 | out[i] = in[0] + ... + in[i]. |  |
| TODO 1 | It is exact; |  |
| TODO 1 | It is as in |  |
| TODO 1 | out[i] = 1; out[i] = 2 |  |
| TODO 1 | n: how many, 1 to 9 |  |
| TODO 1 | in: what is added up |  |
| TODO 1 | \*count stays. | one |
<!-- end contract -->
After.
END
cmp -s "$tmp/wanted" "$tmp/now"
result $? "sentences, items, formulas and parameters of a small header" "$(diff "$tmp/wanted" "$tmp/now")"

# WHAT SED: of a good table, changed by SED, `wrong_cells` says WHAT.
printf 'one 1\ntwo-odd 2\n' >"$tmp/cases"
printf '<!-- contract -->\n| of | sentence | cases |\n|---|---|---|\n| all | a | all |\n| all | b | (given) |\n| TODO 1 | c | TODO 1 |\n| TODO 2 | d | *-odd |\n<!-- end contract -->\n' >"$tmp/good"
[ -z "$(wrong_cells "$tmp/cases" "$tmp/good")" ]
result $? "the control: a good table" "$(wrong_cells "$tmp/cases" "$tmp/good")"
control() {
    sed "$2" "$tmp/good" >"$tmp/bad"
    wrong_cells "$tmp/cases" "$tmp/bad" | grep -q "^$1"
    result $? "the control: $1" "$(wrong_cells "$tmp/cases" "$tmp/bad")"
}
control 'no case asks: | all | a' 's/| a | all |/| a |  |/'
control 'there is no case three' 's/\*-odd/three/'
control 'there is no case TODO 3' 's/| TODO 1 |$/| TODO 1, TODO 3 |/'
control 'no sentence names the case two-odd' 's/\*-odd/one/'
control '4 of 4 sentences have a reason' 's/| [^|]* |$/| (given) |/'
echo "1..$n"
