#!/bin/bash
# The kit on a machine that has nothing of NVIDIA's: a root folder of plain Debian, made by debootstrap; in it `make setup demo`, three labs
# with clang, and any other test. Needs root and the distribution's mirror; leaves the folder, so that a second run builds only what changed.
#
#   bare-root.sh [TEST...]   TEST as run-tests.sh takes it, in place of the three labs; "all": make setup-all test
#
#   SUITE=bookworm           or trixie, or another one that debootstrap knows
#   MIRROR=URL               http://deb.debian.org/debian; Ubuntu: http://archive.ubuntu.com/ubuntu with COMPONENTS=main,universe
#   ROOT=FOLDER              build/bare-root/SUITE
set -euo pipefail
cd "$(dirname "$0")/../.."
SUITE=${SUITE:-bookworm} MIRROR=${MIRROR:-http://deb.debian.org/debian} COMPONENTS=${COMPONENTS:-main}
ROOT=${ROOT:-${BUILD:-build}/bare-root/$SUITE}
TESTS=${*:-common/cuda/driver/test/labs.t}

fail() {
    echo "bare-root: $1" >&2
    exit 2
}
[ "$(id -u)" -eq 0 ] || fail "only root can make a root folder: sudo $0"
command -v debootstrap >/dev/null || fail "debootstrap is not there: apt-get install debootstrap"

mkdir -p "$ROOT"
ROOT=$(realpath "$ROOT")
if [ ! -d "$ROOT/srv/lab-kit" ]; then # made once debootstrap is done
    debootstrap --variant=minbase --components="$COMPONENTS" "$SUITE" "$ROOT" "$MIRROR" >"$ROOT.log" 2>&1 ||
        fail "debootstrap failed: $(tail -n 1 "$ROOT.log") ($ROOT.log)"
fi
# The sources as they are here; those that are gone go there too.
mkdir -p "$ROOT/srv/lab-kit"
git ls-files -z --cached --others --exclude-standard | while IFS= read -rd '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done >"$ROOT/files"
(cd "$ROOT/srv/lab-kit" && find . -path ./build -prune -o -type f -printf '%P\0') | sort -z >"$ROOT/has"
sort -z "$ROOT/files" | comm -z -13 - "$ROOT/has" | (cd "$ROOT/srv/lab-kit" && xargs -0r rm -f)
tar -c --null -T "$ROOT/files" | tar -x -C "$ROOT/srv/lab-kit"

# Mounts of a namespace of its own: they go with it. The folder becomes its root, not that of a chroot, which may have no user namespaces and
# so no sandbox. The environment is that of a new machine.
# shellcheck disable=SC2016 # the inner shells expand
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 WERROR=1 ROOT="$ROOT" TESTS="$TESTS" unshare --mount --propagation private sh -euc '
    mount --bind "$ROOT" "$ROOT"
    mount -t proc proc "$ROOT/proc"
    mount --rbind /dev "$ROOT/dev"
    mount --rbind /sys "$ROOT/sys"
    cd "$ROOT"
    pivot_root . mnt
    cd /
    umount -l /mnt
    exec sh -euc "
        command -v make >/dev/null || { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends make; } >/setup.log 2>&1
        cd /srv/lab-kit
        make -s setup
        make -s -j\$(nproc) all
        make -s demo
        if [ \"\$TESTS\" = all ]; then make setup-all test; else BUILD=build KIT=/srv/lab-kit common/mk/run-tests.sh \$TESTS; fi
        nvidia=\$(find / -xdev \( -path /proc -o -path /srv/lab-kit \) -prune -o \( -name nvcc -o -name ptxas -o -name fatbinary -o -name \"libcudart*\" -o -name \"libnvrtc*\" \) -print)
        [ -z \"\$nvidia\" ] || { echo \"bare-root: not bare: \$nvidia\"; exit 1; }
        echo \"bare-root: \$(. /etc/os-release && echo \$PRETTY_NAME), \$(gcc -dumpfullversion), \$(build/bin/labcc --version | head -n 1); nothing of NVIDIA\"
    "
'
