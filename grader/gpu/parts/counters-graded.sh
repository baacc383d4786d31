# shellcheck shell=bash disable=SC2154
# Answers about counters, graded with Nsight Compute on the card: test-gpu's part `counters-graded`. The lab with such answers: its solution must have all points,
# and say in each case that asks for counters that ncu measured them; the same with two wrong answers about its first case must lose their points there.
# counters-graded.tsv: submission, case, verdict, points, of how many, what was said of the counters; a line of numbers for each case that ncu measured.
# counters-graded.txt: where ncu gave nothing, the same program under ncu by hand: as root, as another user, in a bare sandbox,
# and graded without one.

# The first lab whose answers have such a truth, and its cases that have.
counter_truths='truth: *(flops32|dram_read_bytes|dram_write_bytes|arithmetic_intensity)[,}]'
cases_with_counters() {
    awk -v truths="$counter_truths" '/^ *- name: / { name = $3 } $0 ~ truths && name != last { print name; last = name }' "labs/$1/lab.yaml" "solutions/$1/hidden.yaml"
}

# STUDENT LAB CASE [OPTION]: graded alone; CASE may be "" for all.
grade_counters() {
    build/bin/grade run --device gpu --allow-weak-sandbox ${4:+"$4"} --jobs 1 --seed 1 ${3:+--case "$3"} --submissions "$work/class-counters-$1" --out "$work/graded-counters-$1" >"$work/counters-$1.log" 2>&1
}

# STUDENT LAB: a line a case, from result.json, where each field stands on a line of its own.
tell_counters() {
    local file=$work/graded-counters-$1/results/$1/$2/result.json
    [ -e "$file" ] || { tail -5 "$work/counters-$1.log"; return 0; }
    awk -v student="$1" '
        function value(line) { sub(/^ *"[^"]*": */, "", line); sub(/,$/, "", line); gsub(/^"|"$/, "", line); return line }
        function flush_case() { if (name != "") printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", student, name, verdict, points, most, said, numbers; name = said = numbers = "" }
        /^ *"cases": / { in_cases = 1 }
        in_cases && /^ *"name": / { flush_case(); name = value($0) }
        /^ *"verdict": / && verdict_of != name { verdict = value($0); verdict_of = name }
        /^ *"points": / { points = value($0) }
        /^ *"max_points": / { most = value($0) }
        /^ *"message": / && match($0, /(also measured by ncu|ncu gave none).*/) && said == "" { said = substr($0, RSTART, RLENGTH); sub(/",?$/, "", said) }
        /^ *"ncu_/ { split($0, part, "\""); numbers = numbers " " part[2] "=" value($0) }
        END { flush_case() }' "$file"
}

# LAB CASE: the solution under ncu without the grader.
ncu_by_hand() {
    local lab=$1 folder=$work/ncu-by-hand files seed params metrics argument binds=() command
    mapfile -t files < <(build/bin/labtool files "labs/$lab")
    mkdir -p "$folder/case"
    nvcc -arch=native -lineinfo -g -Ilabs/"$lab" -Icommon/lab -cudart shared -o "$folder/program" "solutions/$lab/${files[0]}" "build/labs/$lab/driver.o" build/lib/liblab.a || return 0
    IFS=$'\t' read -r _ seed _ _ _ params < <(build/bin/labtool case "labs/$lab" "$2")
    printf 'make\t%s\t%s%s\n' "$folder/case" "$seed" "${params:+$'\t'$params}" | "build/labs/$lab/judge" --text
    chmod -R a+rwX "$folder"
    metrics=$(sed -n 's/^X(.*, [0-9]*, "\([^"]*\)".*/\1/p' ncu_counters.def | paste -sd,)
    command=("$(command -v ncu)" --csv --page raw --print-units base --clock-control none --metrics "$metrics" "$folder/program" "$folder/case")
    for argument in /usr /bin /sbin /lib /lib64 /etc/ld.so.cache /opt /etc/alternatives "$CUDA_HOME"; do [ ! -e "$argument" ] || binds+=(--ro-bind "$argument" "$argument"); done
    for argument in /dev/nvidia*; do binds+=(--dev-bind "$argument" "$argument"); done
    echo "ncu is $(readlink -f "$(command -v ncu)"); $(grep -h RmProfilingAdminOnly /proc/driver/nvidia/params)"
    file -L "$(command -v ncu)" 2>/dev/null | cut -c1-200
    echo "== as root: ${command[*]}"
    HOME=$folder timeout 60 "${command[@]}" 2>&1 | cut -c1-300 | tail -6
    echo "== as another user"
    HOME=$folder TMPDIR=$folder timeout 60 setpriv --reuid 64000 --regid 64000 --clear-groups "${command[@]}" 2>&1 | cut -c1-300 | tail -6
    echo "== in a bare sandbox"
    timeout 60 setpriv --reuid 64000 --regid 64000 --clear-groups bwrap --unshare-all --dev /dev "${binds[@]}" --proc /proc --tmpfs /tmp --bind "$folder" "$folder" --setenv HOME /tmp \
        "${command[@]}" 2>&1 | cut -c1-300 | tail -6
}

part_counters-graded() {
    local lab='' name student case verdict points most said first with_counters
    for name in $labs; do [ -n "$lab" ] || ! grep -Eq "$counter_truths" "labs/$name/lab.yaml" || lab=$name; done
    [ -n "$lab" ] || { skip "no lab here has answers about counters"; return; }
    with_counters=" $(cases_with_counters "$lab" | tr '\n' ' ')"
    first=${with_counters# } first=${first%% *}
    hand_in counters-solution/solution "$lab"
    hand_in counters-wrong/wrong "$lab"
    sed -i -E '0,/^( *flops: ).*/s//\1 7/; 0,/^( *read: ).*/s//\1 7/' "$work/class-counters-wrong/wrong/$lab/"*.yaml
    grade_counters solution "$lab" '' # one after the other: the card's counters serve one at a time
    grade_counters wrong "$lab" "$first"
    { tell_counters solution "$lab"; tell_counters wrong "$lab"; } >"$out/counters-graded.tsv"
    cat "$out/counters-graded.tsv"
    while IFS=$'\t' read -r student case verdict points most said _; do
        if [ "$student" = wrong ]; then
            if [ "$verdict" = wrong-result ] && [ "${points%.0}" != "${most%.0}" ]; then ok; else bad "counters: two wrong answers of $case are $verdict, $points of $most"; fi
        elif [ "${points%.0}" != "${most%.0}" ]; then bad "counters: $lab $case has $points of $most, $verdict"
        elif [[ $with_counters != *" $case "* ]]; then ok
        elif [ "$verdict" != pass ]; then bad "counters: $lab $case is $verdict"
        elif [[ $said = "also measured by ncu"* ]]; then ok
        elif [[ $said = *"not on this machine"* || $said = *ERR_NVGPUCTRPERM* ]]; then skip "counters: $said"
        else bad "counters: $lab $case: ${said:-nothing was said of ncu}"; fi
    done <"$out/counters-graded.tsv"
    grep -q "^wrong	$first	" "$out/counters-graded.tsv" || bad "counters: the wrong answers were not graded"
    grep -q "^solution	$first	" "$out/counters-graded.tsv" || bad "counters: the solution was not graded"
    if ! grep -q 'ncu gave none' "$out/counters-graded.tsv" || ! command -v ncu >/dev/null; then return; fi
    ncu_by_hand "$lab" "$first" >"$out/counters-graded.txt" 2>&1
    rm -rf "$work/graded-counters-wrong"
    grade_counters wrong "$lab" "$first" --bwrap=/usr/bin/false
    { echo "== graded without bubblewrap"; tell_counters wrong "$lab"; } >>"$out/counters-graded.txt"
    cat "$out/counters-graded.txt"
}
