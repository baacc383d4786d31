#!/bin/bash
# make deb: the packages, what lintian says of them, and a lab that runs from what they unpack, at its place in /usr/lib.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
for program in dpkg-deb dpkg-shlibdeps; do command -v $program >/dev/null || skip_all "no $program (make setup-all installs it)"; done
BUILD=$(realpath "$BUILD")
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR SOLUTIONS
export BUILD SOURCE_DATE_EPOCH=1767225600 DEB_LEVEL=-z1
work=$(mktemp -d /tmp/deb-test.XXXXXX)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
field() { dpkg-deb -f "$work"/out/"$1"_*.deb "$2"; }

if [ ! -e "$BUILD/man/grade.1" ] && command -v pandoc >/dev/null; then make -s BUILD="$BUILD" man; fi
check "the packages are made" common/mk/deb.sh "$work/out"
same "for this machine, and solutions for all" "$(dpkg --print-architecture) all" "$(field cuda-lab-kit Architecture) $(field cuda-lab-kit-grader Architecture)"
same "of the kit's version" "$("$BUILD/bin/vgpu" --version | cut -d' ' -f2)" "$(field cuda-lab-kit Version)"
check "what is linked is asked for" grep -q 'libarchive13.*libjansson4.*clang' <(field cuda-lab-kit Depends)
check "nothing of NVIDIA's is asked for" bash -c "grep -q clang <<<'$(field cuda-lab-kit Depends)' && ! grep -iE 'nvidia|cuda[^-]|cuda-[^l]|toolkit' <<<'$(field cuda-lab-kit Depends)'"
if command -v lintian >/dev/null; then
    lintian --fail-on error,warning "$work"/out/*.deb >"$work/lintian" 2>&1
    check "lintian has nothing to say" bash -c "test $? = 0 || { cat '$work/lintian'; false; }"
else
    skip "lintian has nothing to say" "no lintian (make setup-all installs it)"
fi

# dpkg itself unpacks the students' package, and finds every file as it was packed.
tree=$work/tree kit=$work/tree/usr/lib/cuda-lab-kit
mkdir -p "$tree/var/lib/dpkg/"{info,updates,triggers}
touch "$tree/var/lib/dpkg/"{status,available}
if [ "$(id -u)" = 0 ]; then
    check "dpkg unpacks it" dpkg --root="$tree" --log=/dev/null --unpack "$work"/out/cuda-lab-kit_*.deb
    same "files are those of its sums" "" "$(dpkg --root="$tree" -V cuda-lab-kit 2>&1)"
else
    check "it is unpacked" dpkg-deb -x "$work"/out/cuda-lab-kit_*.deb "$tree"
fi
check "no solution is there" test -z "$(find "$tree" -name solutions -o -name hidden.yaml -o -name broken)"
same "no file names the folder that it was built in" "" "$(grep -rlaF "$KIT/" "$tree/usr")"
check "all labs are there" diff <(ls labs) <(ls "$kit/labs")
dpkg-deb -c "$work"/out/cuda-lab-kit-grader_*.deb >"$work/list"
same "solutions are for root and the group" "drwxr-x---" "$(awk '$6 ~ /lib\/cuda-lab-kit\/solutions\/$/ { print $1 }' "$work/list")"
check "hidden cases are there" grep -q 'lib/cuda-lab-kit/solutions/02-vector-add/hidden.yaml' "$work/list"

# ---- a lab, with the kit at /usr/lib/cuda-lab-kit ----
cp -r "$kit/labs/02-vector-add" "$work/02-vector-add"
cp solutions/02-vector-add/vector_add.cu "$work/02-vector-add/"
dpkg-deb -e "$work"/out/cuda-lab-kit_*.deb "$work/control"
places=(--ro-bind /usr /usr --tmpfs /usr/lib)
for entry in /usr/lib/*; do
    [ "$entry" != /usr/lib/cuda-lab-kit ] || continue
    if [ -L "$entry" ]; then places+=(--symlink "$(readlink "$entry")" "$entry"); else places+=(--ro-bind "$entry" "$entry"); fi
done
for entry in /bin /sbin /lib /lib64; do
    if [ -L "$entry" ]; then places+=(--symlink "$(readlink "$entry")" "$entry"); else places+=(--ro-bind-try "$entry" "$entry"); fi
done
# in_place COMMAND...: with the unpacked kit where the package has it
in_place() {
    bwrap "${places[@]}" --bind "$kit" /usr/lib/cuda-lab-kit --ro-bind /etc /etc --proc /proc --dev /dev --tmpfs /tmp --bind "$work" "$work" \
        --setenv PATH "/usr/bin:/bin" --setenv BUILD '' --unsetenv CUDA_HOME "$@"
}
if ! in_place true 2>/dev/null; then skip "a lab runs from the package" "no namespaces for bubblewrap"
elif ! command -v clang++ >/dev/null; then skip "a lab runs from the package" "no clang++"
else
    check "it is configured" in_place sh "$work/control/postinst" configure
    same "its headers are precompiled for both passes" 2 "$(find "$kit/build/precompiled" -name '*.pch' | wc -l)"
    check "the solution of lab 02 is right" bash -c "$(declare -p places kit work); $(declare -f in_place)"'
        in_place make -s -C "$work/02-vector-add" run COMPILER=clang | grep -q "^right:"'
    check "it is taken away" in_place sh "$work/control/prerm" remove
    check "with what it made" test ! -e "$kit/build/precompiled"
    check "and all cases are, checked in a sandbox" bash -c "make -s -C '$work/02-vector-add' check KIT='$kit' COMPILER=clang | grep -q '^Score: 58/58'"
fi
tap_end
