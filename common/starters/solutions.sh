#!/bin/bash
# Every solution on every case, public and hidden, in many orders of blocks and warps: no finding, the right exit status, the same bytes.
#
#   solutions.sh [LAB...]    all labs without one; `make check-solutions LABS=a,b`
#
# SEEDS=20 orders a case, seeds 1 to SEEDS of the virtual GPU; CASES=3: that many cases of a lab, spread over all of them (0: all). SOLUTION=FILE stands in
# for a lab's solution, or for the file of that name of several. The driver, the harness and the solution's host part are built with AddressSanitizer and UndefinedBehaviorSanitizer, and the
# virtual GPU runs with --check=all. HARNESS=DIR keeps the harness's objects for the next run. Prints TAP, a test a lab. Exit status: 0, 1 when a solution falls short, 2 when something could not be built.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../..")}" "${SEEDS:=20}" "${CASES:=0}" "${SOLUTION:=}" "${CUDA_HOME:?}"
BUILD=$(cd "$KIT" && realpath "$BUILD")
[ -z "$SOLUTION" ] || SOLUTION=$(realpath "$SOLUTION")
cd "$KIT" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${HARNESS:=$work/harness}"

# The runtime is loaded before the sanitizers' library, which is well: it defines none of the functions that they watch.
readonly SANITIZER_STATUS=99 CUT=12
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1:exitcode=$SANITIZER_STATUS UBSAN_OPTIONS=print_stacktrace=1:exitcode=$SANITIZER_STATUS
sanitize=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)

compile_c() { # OBJECT SOURCE
    gcc -std=c11 -D_GNU_SOURCE -O1 -g -ffp-contract=off "${sanitize[@]}" -isystem "$CUDA_HOME/include" -I. -Icommon/lab -c -o "$1" "$2"
}

build_harness() {
    local source
    [ ! -e "$HARNESS/built" ] || return 0
    mkdir -p "$HARNESS"
    for source in common/lab/*.c common/base/io.c common/base/language.c common/base/status.c common/base/strbuf.c; do
        case $source in */judge*) continue ;; esac
        compile_c "$HARNESS/$(basename "$source" .c).o" "$source" || return
    done
    touch "$HARNESS/built"
}

# The solution's sources; SOLUTION stands in for the first one, or for that of its name.
sources_of() { # LAB
    local file first=1 name=${SOLUTION##*/}
    for file in $("$BUILD/bin/labtool" files "labs/$1"); do
        [[ $file = *.cu ]] || continue
        if [ -n "$SOLUTION" ] && { [ "$name" = "$file" ] || { [ ! -e "solutions/$1/$name" ] && [ -n "$first" ]; }; }; then echo "$SOLUTION"
        else echo "solutions/$1/$file"; fi
        first=
    done
}

build_program() { # LAB
    local sources libraries
    mapfile -t sources < <(sources_of "$1")
    mapfile -t libraries < <("$BUILD/bin/labtool" libraries "labs/$1")
    [ ${#libraries[@]} = 0 ] || libraries=("-L$CUDA_HOME/lib64/stubs" "-Xlinker=--enable-new-dtags,-rpath,$CUDA_HOME/lib64" "${libraries[@]/#/-l}")
    compile_c "$work/driver.o" "labs/$1/driver.c" &&
        nvcc -arch="${CUDA_ARCH:-compute_75}" -lineinfo -g -I "labs/$1" -I common/lab "${sanitize[@]/#/-Xcompiler=}" -cudart shared \
            -o "$work/program" "${sources[@]}" "$work/driver.o" "$HARNESS"/*.o "${libraries[@]}"
}

# The lab as labtool reads it, with the hidden cases before the public ones.
merge_cases() {
    sed '/^cases:$/,$!d;/^cases:$/d' "solutions/$1/hidden.yaml" >"$work/hidden"
    sed "/^cases:\$/r $work/hidden" "labs/$1/lab.yaml" >"$work/lab.yaml"
}

# CASE KEY DEFAULT: a key of a case that labtool does not tell.
case_key() {
    awk -v name="$1" -v key="$2:" -v value="$3" '
        $1 == "-" && $2 == "name:" { inside = $3 == name }
        inside && $1 == key { value = $2 }
        END { print value }' "$work/lab.yaml"
}

pick_cases() {
    "$BUILD/bin/labtool" cases "$work" | awk -v most="$CASES" '
        { name[NR - 1] = $0 }
        END {
            if (!most || most > NR) most = NR
            for (i = 0; i < most; i++) print name[int(i * NR / most)]
        }'
}

# What a run leaves for the judge: names and bytes of all files.
bytes_of() { (cd "$work/case" && find out after -type f -print0 2>/dev/null | LC_ALL=C sort -z | xargs -0r sha256sum); }

# The case's command VERB (make or check) to the judge.
ask_judge() {
    local fields=$2${params:+$'\t'$params}
    printf '%s\t%s\t%s\n' "$1" "$work/case" "$fields" | "$BUILD/labs/$lab/judge" --text >"$work/judged" 2>&1
}

# Where each call is to fail in turn, seed N fails the Nth, and what is left may differ; with fewer calls nothing fails.
run_once() { # SEED: says what is wrong
    local status=0 wants=$wanted in_turn= chosen=("${options[@]/%=each/=$1}")
    [ "${chosen[*]}" = "${options[*]}" ] || in_turn=1
    rm -rf "$work/case/out" "$work/case/after"
    "$BUILD/bin/vgpu" --color=never --seed="$1" --check=all ${in_turn:+--report="$work/report.json"} "${chosen[@]}" "$work/program" "$work/case" >"$work/said" 2>&1 || status=$?
    [ -z "$in_turn" ] || jq -e '.fail_at.failed' "$work/report.json" >/dev/null || wants=0
    if grep -q '^vgpu: [0-9]* finding' "$work/said"; then
        echo "case $case_name, seed $1: findings"
    elif [ "$status" != "$wants" ] || ! grep -q '^vgpu: no findings' "$work/said"; then
        echo "case $case_name, seed $1: exit status $status instead of $wants"
    elif [ "$1" -gt 1 ] && [ -z "$in_turn" ] && [ "$(bytes_of)" != "$first" ]; then
        echo "case $case_name: seed $1 does not give the bytes that seed 1 gave"
    else return 0; fi
    head -n $CUT "$work/said"
    return 1
}

run_case() {
    local case_name=$1 seed rtol atol nan params options wanted order first=
    IFS=$'\t' read -r _ seed rtol atol nan params < <("$BUILD/bin/labtool" case "$work" "$case_name")
    mapfile -t options < <("$BUILD/bin/labtool" options "$work" "$case_name")
    wanted=$(case_key "$case_name" expect_status 0)
    rm -rf "$work/case"
    mkdir "$work/case"
    ask_judge make "$seed" || { echo "case $case_name: no inputs"; cat "$work/judged"; return 1; }
    for ((order = 1; order <= SEEDS; order++)); do
        run_once "$order" || return
        [ "$order" -gt 1 ] || first=$(bytes_of)
    done
    [ "$(case_key "$case_name" check_output true)" = false ] || ask_judge check "$seed"$'\t'"$rtol"$'\t'"$atol"$'\t'"$nan" ||
        { echo "case $case_name: not right"; head -n $CUT "$work/judged"; return 1; }
}

run_lab() {
    local name
    build_program "$lab" || return
    merge_cases "$lab"
    for name in $(pick_cases); do run_case "$name" || return; done
}

labs=("$@")
[ $# -gt 0 ] || mapfile -t labs < <(cd solutions && ls -d [0-9][0-9]-*)
for lab in "${labs[@]}"; do [ -f "labs/$lab/lab.yaml" ] || { echo "Bail out! there is no lab $lab"; exit 2; }; done
build_harness || { echo "Bail out! the harness could not be built"; exit 2; }
echo "1..${#labs[@]}"
n=0 failed=0
for lab in "${labs[@]}"; do
    n=$((n + 1))
    if out=$(run_lab 2>&1); then
        echo "ok $n - $lab: $(pick_cases | wc -l) cases in $SEEDS orders: no finding, the same bytes"
    else
        echo "not ok $n - $lab: no finding, and the same bytes in every order"
        sed 's/^/# /' <<<"$out"
        failed=1
    fi
done
exit $failed
