#!/bin/bash
# make install into a folder of its own: commands, a lab and the man pages work from there, and uninstall takes all of it away.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR SOLUTIONS
work=$(mktemp -d /tmp/install-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
prefix=$work/usr
put() { BUILD=$BUILD PREFIX=$prefix common/mk/install.sh "$@"; }
says() { grep -qF -- "$@"; }

# Man pages name every option and every command that the programs know, and nothing that they do not.
# A text of grade's may send the reader to "vgpu --list-devices": that is no option of grade.
page_words() { sed -e 's/\\f\[[A-Z]*\]//g' -e 's/\\f[A-Z]//g' -e 's/\\//g' "$1" | grep -oE -- '--[a-z][a-z-]*' | sort -u; }
help_words() { "$BUILD/bin/vgpu" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u; }
grade_options() { sed -nE 's/^ *(TEXT|WORD|COUNT|FLAG)\("([a-z-]+)".*/--\2/p' grader/cli/options.def | sort -u; }
if command -v pandoc >/dev/null && command -v man >/dev/null; then
    check "the man pages are made" make -s BUILD="$BUILD" man
    check "vgpu.1 has the options of vgpu" diff <(help_words) <(page_words "$BUILD/man/vgpu.1")
    check "grade.1 has the options of grade" diff <(grade_options) <(page_words <(sed 's/vgpu [^ ]*list[\\]*-devices//' "$BUILD/man/grade.1"))
    while read -r command; do
        check "grade.1 explains grade $command" says ".B $command" <(sed -E 's/\\f\[?B\]?([a-z]+)\\f\[?R\]?/.B \1/' "$BUILD/man/grade.1")
    done < <(sed -nE 's/^COMMAND\("([a-z]+)".*/\1/p' grader/cli/commands.def)
fi

check "install" put install
check "commands lead to the installed kit" test "$(realpath "$prefix/bin/grade")" = "$prefix/lib/cuda-lab-kit/build/bin/grade"
check "no solution is there" test -z "$(find "$prefix" -name solutions -o -name hidden.yaml -o -name broken)"
check "all labs are there" diff <(ls labs) <(ls "$prefix/lib/cuda-lab-kit/labs")
check "a script of a lab can be started" test -x "$prefix/lib/cuda-lab-kit/labs/19-profiling-and-roofline/numbers.sh" -a ! -x "$prefix/lib/cuda-lab-kit/labs/19-profiling-and-roofline/lab.yaml"
if [ -e "$BUILD/man/vgpu.1" ] && command -v man >/dev/null; then
    check "man shows vgpu(1)" bash -c "MANWIDTH=80 man -l '$prefix/share/man/man1/vgpu.1' 2>'$work/complaints' | col -b | grep -q 'error-exitcode'"
    check "man shows grade(1)" bash -c "MANWIDTH=80 man -l '$prefix/share/man/man1/grade.1' 2>>'$work/complaints' | col -b | grep -q 'EXIT STATUS'"
    check "without a complaint" test ! -s "$work/complaints"
fi

share=$prefix/share
check "completions are there" test -s "$share/bash-completion/completions/grade" -a -s "$share/zsh/site-functions/_grade" -a -s "$share/fish/vendor_completions.d/grade.fish"

if command -v nvcc >/dev/null; then
    # A student's copy of a lab, with the solution in it; only the installed kit is asked.
    cp -r "$prefix/lib/cuda-lab-kit/labs/02-vector-add" "$work/"
    cp solutions/02-vector-add/vector_add.cu "$work/02-vector-add/"
    check "grade check of a copied lab" bash -c "'$prefix/bin/grade' check '$work/02-vector-add' | grep -q '^Score: 58/58'"
    check "make run in a copied lab" bash -c "make -s -C '$work/02-vector-add' run DEVICE=virtual | grep -q '^right:'"
    if command -v clang++ >/dev/null; then check "make run with clang" bash -c "make -s -C '$work/02-vector-add' run COMPILER=clang | grep -q '^right:'"; fi
    printf '#include <cstdio>\n__global__ void k(int *x) { x[threadIdx.x] = 1; }\nint main() { int *x; cudaMalloc(&x, 128); k<<<1, 33>>>(x); printf("%%d\\n", cudaDeviceSynchronize()); cudaFree(x); }\n' >"$work/p.cu"
    nvcc -cudart shared -arch=compute_75 -lineinfo -g -o "$work/p" "$work/p.cu"
    check "vgpu runs a program and finds its fault" bash -c "'$prefix/bin/vgpu' '$work/p' 2>&1 | grep -q 'out-of-bounds: write of 4 bytes'"
    check "by the installed library" test -e "$prefix/lib/cuda-lab-kit/build/lib/vgpu/libcudart.so.13"
fi
check "install again over it" put install
if [ -d solutions ]; then
    check "SOLUTIONS=1 brings hidden cases" env SOLUTIONS=1 BUILD="$BUILD" PREFIX="$prefix" common/mk/install.sh install
    same "for their owner alone" 700 "$(stat -c %a "$prefix/lib/cuda-lab-kit/solutions")"
fi
mkdir -p "$prefix/share/man/man1" && touch "$prefix/bin/other"
check "uninstall" put uninstall
same "leaves what is not ours, and nothing else" "$prefix/bin/other" "$(find "$prefix" -type f -o -type l)"
check "uninstall again says that nothing is there" bash -c "! out=\$(PREFIX='$prefix' common/mk/install.sh uninstall 2>&1) && grep -q 'there is no kit in $prefix' <<<\"\$out\""
echo mine >"$prefix/bin/vgpu"
check "a file that is not the kit's is not overwritten" bash -c "! BUILD='$BUILD' PREFIX='$prefix' common/mk/install.sh install"
same "and stays" mine "$(cat "$prefix/bin/vgpu")"
check "a PREFIX that is no path is refused" bash -c "! PREFIX=here common/mk/install.sh install"
tap_end
