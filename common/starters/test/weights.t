#!/bin/bash
# The rule of weights (docs/instructor.md, "Weights"), worked out from each lab.yaml and hidden.yaml; and the numbers of cases that handouts name.
set -uo pipefail
: "${KIT:?}"
cd "$KIT" || exit 2
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; printf '%s\n' "${3:-}" | sed 's/^/# /' | head -40; fi; }

# The TODOs that go through one helper of the student's.
declare -A shared=([03-shared-memory]="3 4 5" [04-streams]="2 4 5")
# LAB.YAML HIDDEN.YAML [TODO...]: what breaks the rule, a line each.
breaks() {
    awk -v shared="${*:3}" '
        function finish() {
            if (name == "") return
            kind = counted && !floor ? "counted" : refused ? "failing" : hidden ? "edge" : "basic"
            if (todo == 0) print name " says no TODO"
            all += points; of_kind[kind] += floor ? floor : points; of_todo[todo] += points
            if (floor) of_kind["counted"] += points - floor
            if (kind == "edge" && points < 3) print name " asks for a right result, is hidden, and weighs " points
            if (points > 16 && todos_max > 3) print name " weighs " points
            name = ""
        }
        FNR == 1 { finish(); hidden = FILENAME == ARGV[2]; in_cases = 0 }
        /^[a-z]/ { finish(); in_cases = /^cases:/ }
        !in_cases { next }
        /^  - name: / { finish(); name = $3; todo = points = counted = floor = refused = 0 }
        /^    todo: / { todo = $2; if (todo > todos_max) todos_max = todo }
        /^    points: / { points = $2 }
        /^    tiers: / { counted = 1; if (match($0, /\{at_least: 1, points: [0-9]+\}\]/)) { floor = substr($0, RSTART); gsub(/^.*points: |\}.*/, "", floor) } }
        /^    expect_status: / { refused = $2 > 0 }
        END {
            finish()
            if (all != 100) print "together the cases weigh " all
            for (t in of_todo) if (of_todo[t] > 40 && todos_max >= 3) print "TODO " t " weighs " of_todo[t]
            for (i = split(shared, list, " "); i > 0; i--) together += of_todo[list[i]]
            if (together > 60) print "TODOs " shared " weigh " together
            if (of_kind["basic"] + of_kind["edge"] < 60) print "right results weigh " of_kind["basic"] + of_kind["edge"]
            if (of_kind["counted"] > 25) print "what is counted weighs " of_kind["counted"]
            if (of_kind["failing"] > 20) print "failing calls weigh " of_kind["failing"]
        }' "$1" "$2"
}
for lab in labs/[0-9]*/lab.yaml; do
    lab=$(basename "$(dirname "$lab")")
    wrong=$(breaks "labs/$lab/lab.yaml" "solutions/$lab/hidden.yaml" ${shared[$lab]:-})
    [ -z "$wrong" ]
    result $? "$lab keeps the rule" "$wrong"
done

wrong=$(breaks common/starters/template/labs/lab.yaml common/starters/template/solutions/hidden.yaml)
[ -z "$wrong" ]
result $? "the lab that \`make new-lab\` makes keeps it too" "$wrong"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# WHAT SED: of two good files, changed by SED, `breaks` says WHAT.
control() {
    cp labs/08-matrix-multiply/lab.yaml "$tmp/lab.yaml"
    sed -E "$2" solutions/08-matrix-multiply/hidden.yaml >"$tmp/hidden.yaml"
    breaks "$tmp/lab.yaml" "$tmp/hidden.yaml" 2 3 >"$tmp/said"
    grep -qE "$1" "$tmp/said"
    result $? "the control: $1" "$(cat "$tmp/said")"
}
control 'naive-row says no TODO' '/name: naive-row/,/params/{/todo/d}'
control 'naive-row asks for a right result, is hidden, and weighs 2' '/name: naive-row/,/points/{s/points: .*/points: 2/}'
control 'together the cases weigh' '/name: sgemm-odd/,/points/{s/points: .*/points: 4/}'
control 'TODO 2 weighs' 's/todo: 3/todo: 2/'
control 'TODOs 2 3 weigh' '/name: tiled-traffic/,/points/{s/points: .*/points: 30/}'
control 'failing calls weigh' '/name: sgemm-refused/,/points/{s/points: .*/points: 30/}'
control 'what is counted weighs' '/name: sgemm-traffic/,/points/{s/points: .*/points: 30/}'
control 'what is counted weighs' '/name: sgemm-traffic/,/tiers/{s/points: .*/points: 60/;s/tiers: .*/tiers: [{at_most: 9, points: 60}, {at_least: 1, points: 3}]/}'

# Hidden cases that look at a number, which handouts count.
counted_of() { sed -n '/^cases:/,$p' "$1" | grep -c '^    metric: '; }
words=(none one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty)
# A number below twenty-one stands in words or in digits.
says_number() { [ "$1" = "$2" ] || [ "$1" = "${words[$2]:-}" ]; }
cases_of() { sed -n '/^cases:/,/^[a-bd-z]/p' "$1" | grep -c '^  - name: '; }
for lab in labs/[0-9]*/lab.yaml; do
    lab=$(basename "$(dirname "$lab")")
    said=$(tr '\n' ' ' <"labs/$lab/README.md" | grep -oP 'Your program runs once for each case: \K[a-z0-9]+ that you can see in `lab.yaml`.*?[a-z0-9]+ hidden ones') || continue
    says_number "${said%% *}" "$(cases_of "labs/$lab/lab.yaml")" && said=${said% hidden ones} && says_number "${said##* }" "$(cases_of "solutions/$lab/hidden.yaml")"
    result $? "$lab: the handout says how many cases there are" "$said; $(cases_of "labs/$lab/lab.yaml") and $(cases_of "solutions/$lab/hidden.yaml")"
    # Those that are counted, too: "Four hidden cases ... look at"; "In three more", and "in a fifth".
    text=$(tr '\n' ' ' <"labs/$lab/README.md")
    said=$(grep -oP '[A-Z][a-z]+(?= hidden cases[^.]{0,30} look at)|\bIn \K[a-z]+(?= more a? ?point)|\bin a fifth(?=, for)' <<<"$text" | sed 's/in a fifth/one/' | tr 'A-Z\n' 'a-z ')
    [[ $text =~ hidden\ cases[^.]*\ look\ at ]] || continue
    sum=0
    for word in $said; do for i in "${!words[@]}"; do [ "${words[i]}" != "$word" ] || sum=$((sum + i)); done; done
    [ $sum = "$(counted_of "solutions/$lab/hidden.yaml")" ]
    result $? "$lab: the handout says how many hidden cases are counted" "$said; $(counted_of "solutions/$lab/hidden.yaml")"
done
echo "1..$n"
