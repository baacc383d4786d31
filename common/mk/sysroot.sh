#!/bin/bash
# A root folder of arm64 to link with: the development packages of `make setup`, and those of tests, as Debian or Ubuntu has them for arm64.
# Packages are downloaded and unpacked, none is installed, so that no rights are needed and this machine's packages stay as they are.
#
#   sysroot.sh ROOT      makes ROOT; it is complete once ROOT/complete is there, and then nothing is done
#
#   SUITE=bookworm       that of this machine
#   MIRROR=URL           http://deb.debian.org/debian, http://ports.ubuntu.com/ubuntu-ports
#   ADD="PACKAGE..."     more packages
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(realpath -m "${1:?usage: sysroot.sh ROOT}")
arch=arm64 triple=aarch64-linux-gnu
[ ! -e "$root/complete" ] || exit 0
fail() {
    echo "sysroot: $1" >&2
    exit 2
}
for program in apt-get dpkg-deb; do command -v $program >/dev/null || fail "no $program: ROOT is made of Debian's packages"; done
command -v $triple-gcc >/dev/null || fail "no $triple-gcc (gcc-$triple)"
. /etc/os-release
suite=${SUITE:-$VERSION_CODENAME} components=main mirror=http://deb.debian.org/debian
[ "$ID" != ubuntu ] || { components='main universe' mirror=http://ports.ubuntu.com/ubuntu-ports; }
gcc=$($triple-gcc -dumpversion)

rm -rf "$root"
mkdir -p "$root"/usr/{bin,sbin,lib} "$root"/etc/apt/{apt.conf.d,preferences.d} "$root"/var/lib/dpkg/{info,updates} \
    "$root"/var/lib/apt/lists/partial "$root"/var/cache/apt/archives/partial
for link in bin sbin lib; do ln -s usr/$link "$root/$link"; done
: >"$root/var/lib/dpkg/status"
echo 1 >"$root/var/lib/dpkg/info/format"
echo "deb ${MIRROR:-$mirror} $suite $components" >"$root/etc/apt/sources.list"
apt() {
    apt-get -q -o Dir="$root" -o Dir::State::status="$root/var/lib/dpkg/status" -o Dir::Etc::trustedparts=/etc/apt/trusted.gpg.d/ \
        -o APT::Architecture=$arch -o APT::Architectures=$arch -o APT::Sandbox::User= -o Debug::NoLocking=1 "$@"
}
{
    apt update
    # shellcheck disable=SC2046,SC2086 # words
    apt -y --no-install-recommends --download-only install libstdc++-"${gcc%%.*}"-dev $(common/mk/setup.sh libraries) ${ADD:-}
} >"$root/log" 2>&1 || fail "the packages cannot be downloaded: $(tail -n 1 "$root/log") ($root/log)"

# Each is unpacked, and noted as far as dpkg-shlibdeps asks (deb.sh): with its files as they are found here.
for deb in "$root"/var/cache/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink --no-same-owner
    name=$(dpkg-deb -f "$deb" Package)
    { dpkg-deb -f "$deb" Package Version Architecture Multi-Arch Maintainer Description && printf 'Status: install ok installed\n\n'; } >>"$root/var/lib/dpkg/status"
    [ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || name+=:$arch
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed "s,^\.\(/lib/\),./usr\1,; s,^\.,$root,; s,/\$,," >"$root/var/lib/dpkg/info/$name.list"
    for file in symbols shlibs; do dpkg-deb -I "$deb" $file >"$root/var/lib/dpkg/info/$name.$file" 2>/dev/null || rm "$root/var/lib/dpkg/info/$name.$file"; done
done
# Links from / lead into this folder.
find "$root" -type l -lname '/*' | while read -r link; do ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"; done
rm -rf "$root/var/cache" "$root/var/lib/apt"
touch "$root/complete"
