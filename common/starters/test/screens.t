#!/bin/bash
# What beginners see of their mistakes: the screen of `make check` at 80 x 24 holds what leads to the cure, and is the one that is kept in screens/.
#
# screens/list has a line a mistake: LAB NAME CURE, NAME a broken submission and CURE a pattern. A name with `:` is no submission: what is before it is the name,
# and what is behind it a command of sed that makes the mistake of the solution. A screen with the compiler's own words is not kept.
# BLESS=1 keeps the screens as they are now; read the diff. ONLY=PATTERN: the mistakes of such names alone.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
BUILD=$(realpath "$BUILD")
command -v nvcc >/dev/null || { echo "1..0 # SKIP nvcc is not here"; exit 0; }
unset MAKEFLAGS MFLAGS MAKELEVEL KIT_LANG
here=common/starters/test/screens
work=$(mktemp -d /tmp/screens-test.XXXXXX)
chmod 711 "$work" # the sandboxes' users find the toolkit in it
trap 'rm -rf "$work"' EXIT
# The compiler's words are the same: what does not compile in silence is compiled with all headers.
. grader/test/quick-kit.sh
make_lean_toolkit "$work/toolkit"

# LAB NAME: the screen, in $work/screen.
make_screen() {
    local lab=$1 name=${2%%:*} file
    [ -d "$work/$lab" ] || { cp -r "labs/$lab" "$work"; rm -rf "$work/$lab/build"; }
    file=$work/$lab/$("$BUILD/bin/labtool" files "$lab" | head -n 1)
    if [ "$name" = "$2" ]; then "$BUILD/bin/labtool" broken "$lab" "$name" >"$file" || return
    else sed "/^ *\/\/[@|]/d;${2#*:}" "solutions/$lab/${file##*/}" >"$file"; fi
    make --no-print-directory -s -C "$work/$lab" KIT="$KIT" KIT_BUILD="$BUILD" check 2>/dev/null >"$work/screen"
    return 0
}
fits() { # the shell's prompt and make's last line come behind it
    local rows columns
    rows=$(wc -l <"$work/screen") columns=$(grep -vE '^ *[0-9]* +\|' "$work/screen" | wc -L)
    [ "$rows" -le 22 ] && [ "$columns" -le 80 ] || { echo "$rows rows, $columns columns"; cat "$work/screen"; false; }
}

n=0
while read -r lab name cure; do
    n=$((n + 1))
    # shellcheck disable=SC2053 # a pattern
    [[ ${name%%:*} = ${ONLY:-*} ]] || continue
    make_screen "$lab" "$name"
    kept=$here/$lab-${name%%:*}.txt
    check "$lab ${name%%:*}: fits" fits
    check "$lab ${name%%:*}: holds the cure" grep -Pzq "$cure" "$work/screen"
    ! grep -qE '^build-error:|the compiler warned:' "$work/screen" || continue
    [ -z "${BLESS:-}" ] || cp "$work/screen" "$kept"
    same "$lab ${name%%:*}: is the screen that is kept" "$(cat "$kept")" "$(cat "$work/screen")"
done < <(grep -v '^#' $here/list)
check "twenty mistakes at least" [ $n -ge 20 ]
# What a compiler says is the same in `make run`: its lines, wherever they are broken.
says_the_same() { # COMPILER
    local lab=00-first-kernel run check
    sed "/^ *\/\/[@|]/d;s/threadIdx\.x;/threadIdx;/" solutions/$lab/first_kernel.cu >"$work/$lab/first_kernel.cu"
    run=$(make --no-print-directory -s -C "$work/$lab" KIT="$KIT" KIT_BUILD="$BUILD" COMPILER="$1" run 2>&1 | grep -v '^make: \|^  [A-Z]' | tr -s ' \n' ' ')
    check=$(make --no-print-directory -s -C "$work/$lab" KIT="$KIT" KIT_BUILD="$BUILD" COMPILER="$1" check 2>/dev/null | sed '/^Score/,$d' | tr -s ' \n' ' ')
    [[ $run == *"error: "*"write .x"* && $check == "build-error: "*"first message. $run"* ]] || { echo "run: $run"; echo "check: $check"; false; }
}
if [[ index-without-x = ${ONLY:-*} ]]; then
    check "make run says of a compile error what make check says" says_the_same nvcc
    if command -v clang >/dev/null; then check "with clang, too" says_the_same clang
    else skip "with clang, too" "clang is not here"; fi
fi
check "no screen is kept of another" bash -c 'for f in '"$here"'/*.txt; do f=${f##*/}; lab=$(grep -oE "^[0-9]{2}-[a-z-]*" <<<"$f"); grep -qE "^[^ ]* " '"$here"'/list && awk -v f="${f%.txt}" "{ sub(/:.*/, \"\", \$2) } \$1 \"-\" \$2 == f { found = 1 } END { exit !found }" '"$here"'/list || { echo "$f"; exit 1; }; done'
tap_end
