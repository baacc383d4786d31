#!/bin/bash
# grade doctor: whole here, and each thing that is broken on purpose is named with the runtime's sentence and the command that mends it.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
work=$(mktemp -d /tmp/doctor-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
unset CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH TMPDIR
grade=$BUILD/bin/grade
# SENTENCE ENV...: doctor under that environment ends with 2 and says the sentence, the word mend beside it.
breaks() {
    local sentence=$1 out status
    shift
    out=$(env "$@" "$grade" doctor 2>&1)
    status=$?
    [ $status = 2 ] && grep -qF -- "$sentence" <<<"$out" && grep -q 'mend: ' <<<"$out" || { echo "status $status"; echo "$out"; return 1; }
}
# TOPIC ENV...: doctor has lines about it, and none of them is a problem.
silent() {
    local topic=$1 out
    shift
    out=$(env "$@" "$grade" doctor 2>&1)
    grep -q "^$topic " <<<"$out" && ! grep -A2 "^$topic .*PROBLEM" <<<"$out"
}
# A folder with a program that prints and ends so.
stub() { mkdir -p "$work/$1" && printf '#!/bin/sh\n%s\n' "$3" >"$work/$1/$2" && chmod +x "$work/$1/$2"; }

stub new nvidia-smi 'echo 580.65.06'
stub old nvidia-smi 'echo 535.183.01'
stub dead nvidia-smi 'echo failed; exit 9'
stub toolkit/bin nvcc 'echo "Cuda compilation tools, release 12.4, V12.4.131"'
mkdir -p "$work/stubs" "$work/empty" && touch "$work/stubs/libcuda.so" "$work/plain-file"

check "a driver that fits is no problem" silent driver PATH="$work/new:$PATH"
check "a driver that is too old" breaks "CUDA driver version is insufficient for CUDA runtime version" PATH="$work/old:$PATH"
check "a driver that does not answer" breaks "no CUDA-capable device is detected" PATH="$work/dead:$PATH"
check "an empty CUDA_VISIBLE_DEVICES" breaks "no CUDA-capable device is detected" CUDA_VISIBLE_DEVICES=
check "CUDA_VISIBLE_DEVICES=-1" breaks "unset CUDA_VISIBLE_DEVICES" CUDA_VISIBLE_DEVICES=-1
check "CUDA_VISIBLE_DEVICES=0 is no problem" silent visible CUDA_VISIBLE_DEVICES=0
check "the toolkit's stubs in LD_LIBRARY_PATH" breaks "CUDA driver is a stub library" LD_LIBRARY_PATH="$work/empty:$work/stubs"
check "another LD_LIBRARY_PATH is no problem" silent libraries LD_LIBRARY_PATH="$work/empty"
check "a toolkit that is too old" breaks "older than 13.0" CUDA_HOME="$work/toolkit"
# A script that stands for nvcc in another folder: the toolkit is where nvcc says, with or without CUDA_HOME.
if nvcc=$(command -v nvcc); then
    stub wrapped nvcc "exec $(realpath "$nvcc") \"\$@\""
    check "a script that stands for nvcc is no problem" silent nvcc CUDA_HOME= PATH="$work/wrapped:/usr/bin:/bin"
    home=$(env -u CUDA_HOME PATH="$work/wrapped:/usr/bin:/bin" make -s -p -n help 2>/dev/null | sed -n 's/^CUDA_HOME := //p')
    check "make finds its toolkit, too" [ -e "$home/include/cuda_runtime.h" ]
fi
check "no compiler" breaks "gcc is not on the PATH" PATH="$work/empty"
check "no room to work in" breaks "cannot be written to" TMPDIR="$work/plain-file"
check "a folder that is not there" breaks "No such file" TMPDIR="$work/gone"
tap_end
