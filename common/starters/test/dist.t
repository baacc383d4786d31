#!/bin/bash
# The student bundle: the same bytes twice, nothing secret inside, pages and commands that are the student's, and a lab that can be checked where it is unpacked.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
command -v pandoc >/dev/null || skip_all "pandoc, which makes the handouts, is not here"
# MAKEFLAGS of a calling make would name a job server that is not ours.
unset MAKEFLAGS MFLAGS MAKELEVEL LABS EXAM EXPLAIN KIT_LANG
work=$(mktemp -d /tmp/dist-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
none() { [ -z "$1" ] || { echo "$1"; false; }; }
# make as who unpacked a kit types it.
fresh_make() { env -u BUILD -u KIT make --no-print-directory "$@"; }
# NAME ENV...: the bundle, unpacked in $work/NAME.
bundle() {
    env BUILD="$work/$1.build" "${@:2}" common/starters/dist.sh && mkdir "$work/$1" && tar -xzf "$work/$1.build"/dist/*.tar.gz --strip-components=1 -C "$work/$1"
}
kit=$work/student
check "the bundle is made" bundle student
two=LABS=00-first-kernel,01-indexing
check "one of two labs" bundle two $two
check "and again" bundle again $two
check "twice the same bytes" cmp "$work"/two.build/dist/cuda-lab-kit-student.tar.gz "$work"/again.build/dist/cuda-lab-kit-student.tar.gz
check "the same files where it is no git checkout" diff <(common/starters/dist.sh --list | tr '\0' '\n') <(GIT_DIR=/nonexistent common/starters/dist.sh --list | tr '\0' '\n')

check "no solution, hidden case or test is inside" none "$(cd "$kit" && find . \( -path ./solutions -o -name 'hidden.yaml' -o -name broken -o -name accepted -o -path '*/test/*' -o -path '*example-class*' \))"
# Nor their contents under another name.
sums=$(find solutions -type f ! -name Makefile -exec sha256sum {} + | cut -c1-64)
check "nor a copy of one" none "$(find "$kit" -type f -exec sha256sum {} + | grep -F "$sums")"

# ---- The student's pages and commands ----
check "its README is the page for students" grep -qx '# For students' "$kit/README.md"
check "without comments of the checks" none "$(grep -n '^<!--' "$kit"/README*.md)"
check "what is the instructor's is not inside" none "$(cd "$kit" && ls -d docs/{instructor,found-by,outcomes,releasing,style,security}.md docs/{pandoc,check} docs/module.mk 2>/dev/null)"
links() { # each link of a page leads to something in the kit
    local page
    for page in "$kit"/*.md "$kit"/docs/*.md "$kit"/labs/*/*.md; do
        grep -oP '\]\(\K(?!https?:|#)[^)\s#]+' "$page" | while read -r link; do [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"; done
    done
}
check "links of its pages lead somewhere" none "$(links)"
same "its pages link to one another" README.zh-CN.md "$(grep -oP '\]\(\KREADME[^)]*' "$kit/README.md")"
for lab in "$kit"/labs/*/; do
    lab=$(basename "$lab")
    check "$lab: a handout with folded hints" grep -q '<summary>TODO 1' "$kit/handouts/$lab.html"
done
check "in Chinese, too" grep -q '<summary>TODO 1' "$kit/handouts/01-indexing.zh-CN.html"
help=$(make --no-print-directory -C "$kit" help)
same "make help lists what students use" "all clean doctor help progress setup" "$(grep -o '^  make [a-z-]*' <<<"$help" | cut -c8- | xargs)"
check "on 80 columns" [ "$(wc -L <<<"$help")" -le 80 ]
for target in $(grep -o '^  make [a-z-]*' <<<"$help" | cut -c8-); do check "make $target is there" make -s -n --no-print-directory -C "$kit" "$target"; done
help=$(make --no-print-directory -C "$kit/labs/00-first-kernel" help)
check "a lab's commands, too" [ "$(wc -L <<<"$help")" -le 80 -a "$(grep -c '^  make ' <<<"$help")" -ge 12 ]
same "a lab's command in the kit's folder says where it works" "2 \`make check\` works in a lab's folder: make -C labs/00-first-kernel check" "$(out=$(make --no-print-directory -C "$kit" check 2>&1); echo "$? ${out%%$'\n'*}")"
check "this kit's lists more" grep -q 'make check-solutions' <<<"$(make --no-print-directory help)"

# ---- make doctor, before anything is built ----
out=$(fresh_make -C "$kit" doctor 2>&1)
same "make doctor ends well" 0 $?
same "says the one thing that matters" "first of all: the kit is not built yet|    make -j2" "$(tail -n 2 <<<"$out" | paste -sd '|')"
check "on one screen" [ "$(wc -l <<<"$out")" -lt 22 ]
mkdir "$work/bin" && printf '#!/bin/sh\ncase "$*" in *libyaml-dev*) exit 1 ;; esac\nexec /usr/bin/dpkg-query "$@"\n' >"$work/bin/dpkg-query" && chmod +x "$work/bin/dpkg-query"
if [ -x /usr/bin/dpkg-query ]; then
    same "or that a package is missing" "first of all: these packages are missing: libyaml-dev|    make setup" "$(PATH="$work/bin:$PATH" fresh_make -C "$kit" doctor 2>&1 | tail -n 2 | paste -sd '|')"
fi
check "and it builds nothing" [ ! -e "$kit/build" ]

# ---- make submit ----
lab=$kit/labs/00-first-kernel
untouched() { "$BUILD/bin/labtool" untouched "$lab"; }
same "a starter is untouched" "first_kernel.cu is untouched: it is as you got it" "$(untouched)"
sed -i 's|^    // TODO 1: .*|&\n    out[0] = number;|; s|^    // TODO 2 (kernel).*|    out[threadIdx.x] = threadIdx.x;|' "$lab/first_kernel.cu"
same "so are TODOs" "untouched in first_kernel.cu: TODO 3" "$(untouched)"
cp solutions/00-first-kernel/first_kernel.cu "$lab"
same "nothing of a solution is" "" "$(untouched)"
rm -r "$lab/.starter"
cp labs/00-first-kernel/first_kernel.cu "$lab"
same "nothing is said where nobody knows" "" "$(untouched)"
same "the solution tells, where it is here" "first_kernel.cu is untouched: it is as you got it" "$("$BUILD/bin/labtool" untouched 00-first-kernel)"
check "make submit says it" grep -q 'labtool untouched' <<<"$(make -n -C labs/00-first-kernel submit)"

# ---- An examination: two labs, no hints, one public case ----
exam=$work/exam
check "the bundle of an examination is made" bundle exam EXAM=1 LABS=02-vector-add,04-streams
same "with the labs that were asked for" "02-vector-add 04-streams" "$(ls "$exam/labs" | xargs)"
check "without hints in lab.yaml" none "$(grep -nE 'hint|message:|tiers:$' "$exam"/labs/*/lab*.yaml)"
check "nor in any page or Makefile" none "$(grep -rniE 'make hint|^hint:|common mistakes|常见错误|<summary>|nearly the code|几乎就是代码' "$exam"/{labs,handouts,docs,common/mk,README.md})"
check "which has its handouts" grep -q '<h1>Lab 04' "$exam/handouts/04-streams.html"
check "but not the page for students" [ ! -e "$exam/docs/student.md" ]
check "with one public case each" none "$(grep -c '^  - name:' "$exam"/labs/*/lab.yaml | grep -v ':1$')"
printf 'cases:\n  - name: a\n    params: {hint: 1}\n' >"$work/odd.yaml"
out=$(perl common/starters/exam.pl "$work/odd.yaml" 2>&1)
check "what cannot be taken out is refused" [ $? != 0 -a "${out/cannot take this out/}" != "$out" ]
out=$(BUILD=$work/e LABS=99-none common/starters/dist.sh 2>&1)
same "a lab that is not there is refused" "2 dist: there is no lab 99-none" "$? $out"

if ! command -v nvcc >/dev/null; then
    skip "a lab works in the unpacked bundle" "nvcc is not here"
    tap_end
fi
# Of the same bytes under the same names this kit has made objects already: they stand for what compiling would give there, as long as all that they include
# is there too, which make sees to. Archives and programs are made anew. A sanitizer's objects are none of a student's kit.
check "its sources are this kit's" none "$(cd "$kit" && find common grader labs -name '*.[ch]' -exec sh -c 'for f; do cmp "$f" "$0/$f"; done' "$KIT" {} + 2>&1 | head)"
if [ -z "${SAN:-}${COV:-}" ]; then
    mkdir "$kit/build"
    (cd "$BUILD" && find flags common grader labs student \( -name '*.[od]' -o -name flags \) ! -path '*/test/*' ! -path '*/fuzz/*' -print0 | tar -c --null --files-from=-) | tar -x -C "$kit/build"
fi
unset SAN
check "the unpacked kit builds" fresh_make -C "$kit" -j"$(nproc)" all
out=$(fresh_make -C "$kit/labs/02-vector-add" check 2>&1)
status=$?
check "make check there judges the starter" [ "$status $(grep -c wrong-result <<<"$out" | sed 's/[1-9].*/some/')" = "2 some" ]
same "make doctor sees that all is well" "no problem: everything is ready" "$(fresh_make -C "$kit" doctor 2>&1 | tail -n 1)"
# LAB BROKEN: all that the commands of an examination's lab say of a mistake, and what its film says.
exam_says() {
    "$BUILD/bin/labtool" broken "$1" "$2" >"$exam/labs/$1/$("$BUILD/bin/labtool" files "$1")"
    for command in run check "check ALL=1" show; do
        # shellcheck disable=SC2086
        fresh_make -C "$exam/labs/$1" $command 2>&1
    done
    [ ! -f "$exam/labs/$1/build/film.html" ] || grep -o '"hint":"[^"][^"]*"' "$exam/labs/$1/build/film.html"
}
# Its build begins as the unpacked kit's does.
cp -a "$kit/build" "$exam/build"
exam_says 02-vector-add host-pointers >"$work/said"
check "in an examination a finding is said" grep -q "out-of-bounds" "$work/said"
check "without a hint" none "$(grep -n '[Hh]int' "$work/said")"
exam_says 02-vector-add never-copied-back >"$work/said"
check "and a wrong result" grep -q 'was ever written' "$work/said"
check "without one, too" none "$(grep -n '[Hh]int' "$work/said")"
rm "$kit/build/bin/vgpu"
out=$(fresh_make -C "$kit" doctor 2>&1)
same "and what is not built, once" "1 first of all: " "$(grep -c 'PROBLEM' <<<"$out") $(grep -o 'first of all: ' <<<"$out")"
tap_end
