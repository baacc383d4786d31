#!/bin/bash
# Runs a command where programs of arm64 run as if this machine were one: by qemu-user, with the libraries of a root folder of arm64
# (sysroot.sh), and with compilers that make programs for it. Nothing of that is left behind, or seen by anybody else.
#
#   emulate.sh ROOT COMMAND...     QEMU=FILE: another qemu-aarch64 than that of the PATH
#
# Exit status: the command's; 77 where this machine cannot do it, with why on standard error.
#
# The command has a user namespace of its own, in which it is an ordinary user, and in that
#   - a binfmt_misc of its own, which knows programs of arm64 (Linux 6.7);
#   - /usr/lib with that of ROOT over it, and ROOT itself as /usr/lib/arm64-root;
#   - in the place of g++ and each clang++ of /usr/bin one that compiles for arm64: clang++, which can.
# qemu-user refuses filters of system calls: `grade` has its sandbox without them.
set -euo pipefail
root=$(realpath "${1:?usage: emulate.sh ROOT COMMAND...}")
shift
triple=aarch64-linux-gnu
cannot() {
    echo "emulate: $1" >&2
    exit 77
}
qemu=${QEMU:-$(command -v qemu-aarch64 || command -v qemu-aarch64-static)} || cannot "no qemu-aarch64 (qemu-user-static)"
[ -e "$root/usr/lib/ld-linux-aarch64.so.1" ] || cannot "$root is no root folder of arm64 (make cross-root)"
[ -d /proc/sys/fs/binfmt_misc ] || cannot "this kernel has no binfmt_misc"

over=$(mktemp -d /tmp/emulate.XXXXXX)
trap 'rm -rf "$over"' EXIT
mkdir -p "$over/bin" "$over/lib/arm64-root"
wrap() { # NAME CLANG
    printf '#!/bin/sh\nexec %s --driver-mode=g++ --target=%s --sysroot=/usr/lib/arm64-root "$@"\n' "$2" $triple >"$over/bin/$1"
    chmod +x "$over/bin/$1"
}
newest=
for clang in $(compgen -G '/usr/bin/clang++*' | sort -V); do
    newest=$(readlink -f "$clang")
    wrap "${clang##*/}" "$newest"
done
[ -z "$newest" ] || wrap g++ "$newest"

# The magic number and mask of an ELF file of 64 bits for arm64 (linux/Documentation/admin-guide/binfmt-misc.rst).
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
qemu=$(realpath "$qemu")
export KIT_EMULATE="$over" KIT_EMULATE_ROOT="$root" KIT_EMULATE_ROW=":arm64:M::$magic:$mask:$qemu:F"
status=0
# shellcheck disable=SC2016 # the inner shell expands
unshare --user --map-root-user --mount bash -c '
    set -e
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    printf %s "$KIT_EMULATE_ROW" >/proc/sys/fs/binfmt_misc/register
    mount -t overlay overlay -o lowerdir="$KIT_EMULATE/lib:$KIT_EMULATE_ROOT/usr/lib:/usr/lib" /usr/lib
    mount -t overlay overlay -o lowerdir="$KIT_EMULATE/bin:/usr/bin" /usr/bin
    mount --bind "$KIT_EMULATE_ROOT" /usr/lib/arm64-root
    touch "$KIT_EMULATE/ready"
    exec unshare --user --map-user=1000 --map-group=1000 -- "$@"' bash "$@" || status=$?
[ -e "$over/ready" ] || cannot "no namespaces with a binfmt_misc of their own (Linux 6.7)"
exit $status
