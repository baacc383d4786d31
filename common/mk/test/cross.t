#!/bin/bash
# CROSS: what knows the machine compiles for arm64 without a warning, and a program of the kit runs there (qemu-user).
set -uo pipefail
: "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
cross=aarch64-linux-gnu-
echo '#include <stdio.h>' | "${cross}gcc" -fsyntax-only -x c - 2>/dev/null || skip_all "no ${cross}gcc with a C library (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)"
native=$(realpath "${BUILD:-build}")
unset MAKEFLAGS MFLAGS MAKELEVEL CC BUILD SAN COV
work=$(mktemp -d /tmp/cross-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
build() { make -s CROSS=$cross BUILD="$work/build" WERROR=1 "${@/#/$work/build/}"; }

for file in common/vgpu/cudart/host_fault common/vgpu/cudart/managed common/vgpu/device/host common/vgpu/remote/confine; do
    check "$file.c" build "$file.o"
done
check "labcc" build bin/labcc
check "is for arm64" bash -c "LC_ALL=C ${cross}readelf -h '$work/build/bin/labcc' | grep -q 'Machine: *AArch64'"
if command -v qemu-aarch64-static >/dev/null; then
    check "and says its options there" diff <("$native/bin/labcc" --help 2>&1) <(qemu-aarch64-static -L /usr/aarch64-linux-gnu "$work/build/bin/labcc" --help 2>&1)
else
    skip "and says its options there" "no qemu-aarch64-static (qemu-user-static)"
fi
tap_end
