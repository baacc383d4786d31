#!/bin/bash
# Set-up: installs the Debian/Ubuntu packages that the kit needs, and clang where there is no nvcc.
#
#   setup.sh base   building, labs and grading
#   setup.sh all    base, and handouts, browser tests, the cluster and benchmarks
#   setup.sh missing     installs nothing: prints the packages of base that are missing
#   setup.sh libraries   installs nothing: prints the packages that programs and tests are linked with (sysroot.sh)
#   setup.sh bwrap-profile   as root: the AppArmor profile that lets bubblewrap make user namespaces; base offers it where it is wanting
#
# KIT_SETUP_ROOT is a test's /.
# As root, or by sudo; with neither it prints the one line to run. What is installed already costs nothing.
set -euo pipefail

BASE="gcc g++ make perl pkg-config libc6-dev libjansson-dev libsqlite3-dev libyaml-dev libarchive-dev libutf8proc-dev nettle-dev libseccomp-dev libmicrohttpd-dev
      libzstd-dev liblz4-dev libdw-dev libelf-dev libcap-dev bubblewrap util-linux libcmocka-dev jq"
ALL="libmpfr-dev tmux pandoc hunspell hunspell-en-gb tidy epubcheck man-db texlive-latex-recommended texlive-xetex texlive-lang-chinese texlive-fonts-recommended fonts-noto-cjk lmodern librsvg2-bin gnuplot-nox poppler-utils chromium clang libclang-dev libclang-rt-14-dev clang-format sqlite3 libxml2-utils
     zip unzip time shellcheck dpkg-dev lintian gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static python3-yaml slurmctld slurmd slurm-client munge pocl-opencl-icd ocl-icd-opencl-dev opencl-c-headers python3-jsonschema"
NVCC_MIN=13.0
ROOT=${KIT_SETUP_ROOT:-}

if [ "${1:-base}" = libraries ]; then
    # shellcheck disable=SC2086 # words
    printf '%s\n' $BASE $ALL | grep -e '-dev$' | grep -vE 'clang|opencl|^dpkg'
    exit
fi
if [ "${1:-base}" = bwrap-profile ]; then
    printf 'abi <abi/4.0>,\nprofile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }\n' >"$ROOT/etc/apparmor.d/bwrap"
    apparmor_parser -r "$ROOT/etc/apparmor.d/bwrap"
    echo "setup: bubblewrap may make user namespaces ($ROOT/etc/apparmor.d/bwrap)"
    exit
fi

CLANG_MIN=14 # Debian 12 has 14, Ubuntu 24.04 has 18, Debian 13 has 19

# nvcc comes from NVIDIA alone: it is looked for, never installed.
nvcc=${NVCC:-nvcc}
if ! command -v "$nvcc" >/dev/null; then
    for d in /usr/local/cuda/bin /usr/local/cuda-*/bin /opt/cuda/bin; do
        [ -x "$d/nvcc" ] && nvcc=$d/nvcc
    done
fi
nvcc_version=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p' || true)
has_nvcc() { [ -n "$nvcc_version" ] && [ "$(printf '%s\n%s\n' "$NVCC_MIN" "$nvcc_version" | sort -V | head -n 1)" = "$NVCC_MIN" ]; }

# The version of the newest clang++ that suffices, as labcc looks for it.
clang_version() {
    local program version
    for program in $(seq -f 'clang++-%g' 40 -1 $CLANG_MIN) clang++; do
        version=$("$program" --version 2>/dev/null | sed -n '1s/.*version \([0-9.]*\).*/\1/p' || true)
        if [ -n "$version" ] && [ "${version%%.*}" -ge $CLANG_MIN ]; then echo "$version" && return; fi
    done
    return 1
}

wanted=$BASE
[ "${1:-base}" = all ] && wanted="$BASE $ALL"
has_nvcc || clang_version >/dev/null || wanted="$wanted clang"

# The packages of the list that this system does not have yet. clang's runtime carries its version in its name.
missing=()
for p in $wanted; do
    case $p in libclang-rt-*) p=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/libclang-rt-\1-dev/p') ;; esac
    [ -n "$p" ] || continue
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done

if [ "${1:-base}" = missing ]; then
    echo "${missing[*]}"
    exit
fi
if [ "${1:-base}" = all ] && ! command -v npm >/dev/null; then missing+=(nodejs npm); fi

install_missing() {
    command -v apt-get >/dev/null || { echo "setup: this is not Debian or Ubuntu; install: ${missing[*]}" >&2; exit 2; }
    local line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null && [ ! -t 0 ]; then
            echo "setup: packages are missing, and installing them needs root. Run this line, then make again:" >&2
            echo "  sudo sh -c '$line'" >&2
            exit 2
        fi
        as_root=(sudo)
    fi
    echo "setup: installing ${#missing[@]} packages: ${missing[*]}"
    local log
    log=$(mktemp)
    if ! "${as_root[@]}" sh -c "export DEBIAN_FRONTEND=noninteractive; $line" >"$log" 2>&1; then
        cat "$log" >&2
        echo "setup: installing failed; the line was: $line" >&2
        exit 2
    fi
    rm -f "$log"
}

[ ${#missing[@]} -eq 0 ] || install_missing

# Tests of pages alone need packages of npm; without them those are skipped. A node that is there already is taken.
if [ "${1:-base}" = all ]; then
    browser=$(dirname "$0")/../../grader/report/test/browser
    if { [ ! -d "$browser/node_modules/playwright-core" ] || [ ! -d "$browser/node_modules/eslint" ]; } && ! (cd "$browser" && npm ci --silent >/dev/null 2>&1); then
        echo "setup: npm could not install what tests of pages need; they will be skipped" >&2
    fi
fi

# Ubuntu from 23.10 on: AppArmor forbids user namespaces to programs without a profile, and so bubblewrap to who is not root.
offer_bwrap_profile() {
    [ "$(cat "$ROOT/proc/sys/kernel/apparmor_restrict_unprivileged_userns" 2>/dev/null)" = 1 ] || return 0
    [ ! -e "$ROOT/etc/apparmor.d/bwrap" ] && [ ! -e "$ROOT/etc/apparmor.d/bwrap-userns-restrict" ] || return 0
    echo "setup: AppArmor forbids user namespaces here, and so the sandbox, to everybody but root (kernel.apparmor_restrict_unprivileged_userns=1)." >&2
    echo "setup: a profile allows them to bubblewrap: sudo $0 bwrap-profile" >&2
    local answer=
    [ ! -t 0 ] || read -rp "setup: install it now? [y/N] " answer
    [[ $answer != [yY]* ]] || sudo "$0" bwrap-profile
}

offer_bwrap_profile
if has_nvcc; then
    if ! command -v nvcc >/dev/null; then
        echo "setup: found $nvcc, which is not on the PATH: export PATH=\"$(dirname "$nvcc"):\$PATH\"" >&2
    fi
    echo "setup: ready (nvcc $nvcc_version)"
elif clang=$(clang_version); then
    [ -z "$nvcc_version" ] || echo "setup: nvcc $nvcc_version is too old ($NVCC_MIN is needed); give COMPILER=clang and --compiler clang, or take it off the PATH" >&2
    echo "setup: ready (clang $clang). A real GPU needs the CUDA Toolkit $NVCC_MIN or later (developer.nvidia.com/cuda-downloads)"
else
    echo "setup: neither nvcc from $NVCC_MIN on nor clang from $CLANG_MIN on is here" >&2
    exit 2
fi
