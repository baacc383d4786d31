#!/bin/bash
# Debian packages of the built kit: cuda-lab-kit for students, and, where the solutions are, cuda-lab-kit-grader for instructors.
#
#   deb.sh OUT      BUILD (with the man pages); ARCH (that of this machine), and of another one SYSROOT and RUN; DEBFULLNAME and DEBEMAIL: who is named as maintainer
#
# cuda-lab-kit is what install.sh puts in /usr, stripped, and depends on the libraries that the programs are linked with, clang, and what
# labs and the sandbox run. Nothing of NVIDIA's is asked for. cuda-lab-kit-grader adds the solutions and hidden cases, for root and the
# group cuda-lab-grader alone. The headers are precompiled when the package is configured, and again when another clang comes.
#
# The same build gives the same bytes: SOURCE_DATE_EPOCH, else the last commit, is the time of everything.
set -euo pipefail
shopt -s extglob
cd "$(dirname "$0")/../.."
out=$(realpath -m "${1:?usage: deb.sh OUT}")
export BUILD=${BUILD:-build}
arch=${ARCH:-$(dpkg --print-architecture)}
version=$(sed -n 's/.*KIT_VERSION "\(.*\)"/\1/p' common/base/version.h)
maintainer="${DEBFULLNAME:-The CUDA Lab Kit authors} <${DEBEMAIL:-authors@cuda-lab-kit.invalid}>"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1767225600)}
export SOURCE_DATE_EPOCH
cross=
[ "$arch" = "$(dpkg --print-architecture)" ] || cross=$(dpkg-architecture -a"$arch" -qDEB_HOST_GNU_TYPE 2>/dev/null)-
compilers='clang (>= 1:14) | clang-19 | clang-18 | clang-17 | clang-16 | clang-15 | clang-14'
work=$(mktemp -d /tmp/deb.XXXXXX)
trap 'rm -rf "$work"' EXIT
umask 022

doc_of() { echo "$work/$1/usr/share/doc/$1"; }

# PACKAGE: what a package says of itself beside its files.
write_documents() {
    local doc
    doc=$(doc_of "$1")
    install -d "$doc"
    {
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: cuda-lab-kit\n\nFiles: *\nCopyright: %s\nLicense: Expat\n' \
            "$(sed -n 's/^Copyright (c) //p' LICENSE)"
        sed -n '/^Permission/,$ { s/^$/./; s/^/ /; p }' LICENSE
    } >"$doc/copyright"
    printf 'cuda-lab-kit (%s) unstable; urgency=medium\n\n  * See NEWS.md.\n\n -- %s  %s\n' "$version" "$maintainer" \
        "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
}

# The libraries that the programs and libraries of a package are linked with, as packages.
libraries_of() {
    mkdir -p "$work/shlibs/debian"
    printf 'Source: cuda-lab-kit\n\nPackage: cuda-lab-kit\nArchitecture: any\n' >"$work/shlibs/debian/control"
    (cd "$work/shlibs" && dpkg-shlibdeps -O --ignore-missing-info -l"$1/usr/lib/cuda-lab-kit/build/lib/vgpu" ${SYSROOT:+--admindir="$SYSROOT/var/lib/dpkg" \
        -l"$SYSROOT/usr/lib/${cross%-}"} "${@:2}") | sed 's/^shlibs:Depends=//'
}

# PACKAGE ARCHITECTURE DEPENDS SUMMARY; the description from standard input. Makes the package.
pack() {
    local tree=$work/$1
    mkdir -p "$tree/DEBIAN"
    {
        printf 'Package: %s\nSource: cuda-lab-kit\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %s\nDepends: %s\nSection: education\nPriority: optional\nDescription: %s\n' \
            "$1" "$version" "$2" "$maintainer" "$(du -k -s --apparent-size --exclude=DEBIAN "$tree" | cut -f1)" "$3" "$4"
        sed 's/^$/./; s/^/ /'
    } >"$tree/DEBIAN/control"
    (cd "$tree" && find . -path ./DEBIAN -prune -o -type f -print | sed 's,^\./,,' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
    dpkg-deb --root-owner-group -Zxz "${DEB_LEVEL:--z6}" --build "$tree" "$out/$1_${version}_$2.deb" >/dev/null
    echo "$out/$1_${version}_$2.deb"
}

students_tree() {
    local tree=$work/cuda-lab-kit kit doc
    kit=$tree/usr/lib/cuda-lab-kit doc=$(doc_of cuda-lab-kit)
    DESTDIR=$tree PREFIX=/usr SOLUTIONS='' common/mk/install.sh install >/dev/null
    "${cross}strip" --strip-unneeded "$kit"/build/bin/* "$kit"/build/lib/*/*.so* "$kit"/build/labs/*/judge
    "${cross}strip" --strip-debug --enable-deterministic-archives "$kit"/build/lib/*.a "$kit"/build/labs/*/driver.o
    chmod 644 "$kit"/build/lib/*/*.so*
    [ ! -d "$tree/usr/share/man" ] || gzip -9n "$tree"/usr/share/man/man1/*.1
    install -d "$tree/usr/share/zsh/vendor-completions"  "$tree/usr/share/lintian/overrides" "$tree/DEBIAN"
    mv "$tree/usr/share/zsh/site-functions/_grade" "$tree/usr/share/zsh/vendor-completions/" # Debian's zsh looks there
    rmdir "$tree/usr/share/zsh/site-functions"
    rm "$doc/LICENSE"
    write_documents cuda-lab-kit
    install -m 644 common/mk/deb/cuda-lab-kit.overrides "$tree/usr/share/lintian/overrides/cuda-lab-kit"
    install -m 755 common/mk/deb/cuda-lab-kit.postinst "$tree/DEBIAN/postinst"
    install -m 755 common/mk/deb/cuda-lab-kit.prerm "$tree/DEBIAN/prerm"
    echo 'interest-noawait /usr/lib/clang' >"$tree/DEBIAN/triggers"
}

grader_tree() {
    local tree=$work/cuda-lab-kit-grader
    install -d "$tree/usr/lib/cuda-lab-kit" "$tree/usr/share/lintian/overrides" "$tree/DEBIAN"
    cp -r --no-preserve=ownership,timestamps solutions "$tree/usr/lib/cuda-lab-kit/"
    chmod -R u=rwX,go=rX "$tree/usr/lib/cuda-lab-kit/solutions"
    chmod 750 "$tree/usr/lib/cuda-lab-kit/solutions"
    write_documents cuda-lab-kit-grader
    install -m 644 common/mk/deb/cuda-lab-kit-grader.overrides "$tree/usr/share/lintian/overrides/cuda-lab-kit-grader"
    install -m 755 common/mk/deb/cuda-lab-kit-grader.postinst "$tree/DEBIAN/postinst"
}

mkdir -p "$out"
students_tree
kit=$work/cuda-lab-kit/usr/lib/cuda-lab-kit
programs=("$kit"/build/bin/!(grade-runner) "$kit"/build/labs/*/judge) # grade-runner is static
linked=$(libraries_of "$work/cuda-lab-kit" "${programs[@]}" "$kit"/build/lib/*/*.so*)
pack cuda-lab-kit "$arch" "$linked, $compilers, make, mawk | gawk, bubblewrap" 'CUDA labs, checked on a virtual GPU' <<'END'
Numbered C/CUDA labs for a course, with a helper library, and a virtual GPU
that runs them on any machine, checks each memory access, and finds races,
leaks and reads of uninitialized memory with their lines. Labs are compiled by
clang and the kit's own headers. No GPU, driver or toolkit is needed.

Copy a folder of /usr/lib/cuda-lab-kit/labs, and type make in it.
END
if [ -d solutions ]; then
    grader_tree
    pack cuda-lab-kit-grader all "cuda-lab-kit (= $version), passwd" 'CUDA labs: solutions and hidden cases' <<'END'
What grading the labs of cuda-lab-kit needs beside it: each lab's solution, its
hidden cases, and submissions that are wrong in known ways.

They can be read by root and the members of the group cuda-lab-grader.
END
fi
