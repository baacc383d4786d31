#!/bin/bash
# What programs of arm64 answer, beside this machine's own: random kernels have the same bytes, and labs' solutions and wrong submissions the same
# results, with the same findings at the same lines, and the same counters. `make cross-test` runs it.
#
#   BUILD        the build for arm64         NATIVE=build    this machine's
#   SYSROOT      the root folder of arm64    LABS=a,b        01, 02, 03, 06, 08
#   SEEDS=10     kernels of each family      WRONG=4         submissions of each lab's broken/, 0: all
#
# The virtual GPU is in the programs' own processes, as qemu-user refuses filters of system calls; it does not map pages twice either, so that
# no program gets managed memory there.
set -uo pipefail
: "${KIT:=$(realpath "$(dirname "$0")/../../..")}" "${NATIVE:=build}" "${SEEDS:=10}" "${WRONG:=4}"
: "${LABS:=01-indexing,02-vector-add,03-shared-memory,06-reduction,08-matrix-multiply}"
cd "$KIT" || exit 2
. grader/test/tap.sh
BUILD=$(realpath "${BUILD:?}") NATIVE=$(realpath "$NATIVE") SYSROOT=$(realpath "${SYSROOT:?}")
work=$(mktemp -d /tmp/cross-answers.XXXXXX)
chmod 711 "$work"
trap 'rm -rf "$work"' EXIT
there() { common/mk/emulate.sh "$SYSROOT" "$@"; }
why=$(there true 2>&1) || skip_all "$why"

"$NATIVE/bin/vgpu" --quiet --device=h100 "$NATIVE/bin/differential" --seeds="$SEEDS" >"$work/here.txt" 2>/dev/null
there "$BUILD/bin/vgpu" --quiet --device=h100 "$BUILD/bin/differential" --seeds="$SEEDS" >"$work/there.txt" 2>/dev/null
check "random kernels were answered" test "$(wc -l <"$work/here.txt")" -gt $((SEEDS * 20))
check "with the same bytes there" cmp "$work/here.txt" "$work/there.txt"

clang=$(LABCC_CLANG='' "$NATIVE/bin/labcc" --version 2>/dev/null | sed -n 2p)
if [ -z "$clang" ]; then
    skip "labs" "no clang++"
    tap_end
fi
mkdir "$work/whole"
for lab in ${LABS//,/ }; do
    main=$("$NATIVE/bin/labtool" files "labs/$lab" | head -n 1)
    "$NATIVE/bin/labtool" submissions "labs/$lab" "$work/whole/$lab" >/dev/null || exit 2
    hand_in() { # STUDENT FILE-OR-FOLDER
        mkdir -p "$work/class/$1/$lab"
        for file in $("$NATIVE/bin/labtool" files "labs/$lab"); do cp "solutions/$lab/$file" "$work/class/$1/$lab/"; done
        if [ -d "$2" ]; then cp "$2"/* "$work/class/$1/$lab/"; else cp "$2" "$work/class/$1/$lab/$main"; fi
    }
    hand_in solution "solutions/$lab/$main"
    mapfile -t wrong < <(printf '%s\n' "$work/whole/$lab"/broken/*)
    step=$((WRONG == 0 || ${#wrong[@]} <= WRONG ? 1 : ${#wrong[@]} / WRONG))
    for ((i = 0; i < ${#wrong[@]}; i += step)); do hand_in "wrong-$(basename "${wrong[i]}" .cu)" "${wrong[i]}"; done
done
grade() { # BUILD OUT
    "$1/bin/grade" run --submissions "$work/class" --out "$work/$2" --seed 1 --compiler clang --in-process --jobs 1 >"$work/$2.log" 2>&1
}
grade "$NATIVE" here
check "a class is graded here" test $? -lt 2
status=0
export -f grade
export work
there bash -c 'grade "$@"' bash "$BUILD" there || status=$?
check "and there" bash -c "test $status -lt 2 || { cat '$work/there.log'; false; }"
# Filters of system calls are what qemu-user does not have.
told() { jq -S 'del(.sandbox)' "$1" 2>&1; }
while read -r result; do
    name=${result#"$work/here/results/"}
    name=${name%/result.json}
    [ -d "$work/class/$name" ] || continue # nobody handed it in
    check "$name: $(jq -r '.verdict + " " + (.score | tostring) + ([.cases[].findings[]? | select(.line) | " " + .file + ":" + (.line | tostring)] | unique | join(""))' "$result")" \
        diff <(told "$result") <(told "$work/there/results/$name/result.json")
done < <(find "$work/here/results" -name result.json | LC_ALL=C sort)
tap_end
