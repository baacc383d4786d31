#!/bin/bash
# grade doctor: whole here, and each thing that is broken on purpose is named with the runtime's sentence and the command that mends it.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
work=$(mktemp -d /tmp/doctor-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
unset CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH TMPDIR KIT_DOCTOR_ROOT FAKE_INIT FAKE_VERSION FAKE_DEVICES
grade=$BUILD/bin/grade
# SENTENCE ENV...: doctor under that environment ends with 2 and says the sentence, the word mend beside it.
breaks() {
    local sentence=$1 out status
    shift
    out=$(env CUDA_HOME="$work/quick" "$@" "$grade" doctor 2>&1)
    status=$?
    [ $status = 2 ] && grep -qF -- "$sentence" <<<"$out" && grep -q 'mend: ' <<<"$out" || { echo "status $status"; echo "$out"; return 1; }
}
# TOPIC ENV...: doctor has lines about it, and none of them is a problem.
silent() {
    local topic=$1 out
    shift
    out=$(env CUDA_HOME="$work/quick" "$@" "$grade" doctor 2>&1)
    grep -q "^$topic " <<<"$out" && ! grep -A2 "^$topic .*PROBLEM" <<<"$out"
}
# A folder with a program that prints and ends so.
stub() { mkdir -p "$work/$1" && printf '#!/bin/sh\n%s\n' "$3" >"$work/$1/$2" && chmod +x "$work/$1/$2"; }

# A toolkit that fits, and answers at once.
stub quick/bin nvcc 'echo "Cuda compilation tools, release 13.0, V13.0.88"'
mkdir -p "$work/quick/lib64" && touch "$work/quick/lib64/libcudart.so.13"
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
check "the true toolkit is no problem" silent compiler CUDA_HOME="${CUDA_HOME:-}"
check "a toolkit that is too old" breaks "older than 13.0" CUDA_HOME="$work/toolkit"
# A script that stands for nvcc in another folder: the toolkit is where nvcc says, with or without CUDA_HOME.
if nvcc=$(command -v nvcc); then
    stub wrapped nvcc "exec $(realpath "$nvcc") \"\$@\""
    check "a script that stands for nvcc is no problem" silent nvcc CUDA_HOME= PATH="$work/wrapped:/usr/bin:/bin"
    home=$(env -u CUDA_HOME PATH="$work/wrapped:/usr/bin:/bin" make -s -p -n help 2>/dev/null | sed -n 's/^CUDA_HOME := //p')
    check "make finds its toolkit, too" [ -e "$home/include/cuda_runtime.h" ]
    same "and so do scripts" "$home" "$(env -u CUDA_HOME PATH="$work/wrapped:/usr/bin:/bin" common/mk/cuda-home.sh)"
    same "none of which guesses from nvcc's place" "" \
        "$(git grep -lE 'dirname.*(command -v|which) nvcc' -- '*.t' '*.sh' 2>/dev/null | grep -v 'grader/gpu/test-gpu.sh')"
fi
# ---- A driver's library: a fake that answers what it is told to ----
cat >"$work/fake.c" <<'END'
#include <stdlib.h>
static int told(const char *name, int otherwise) { const char *text = getenv(name); return text ? atoi(text) : otherwise; }
int cuInit(unsigned flags) { (void)flags; int code = told("FAKE_INIT", 0); if (code == -1) abort(); return code; }
int cuDriverGetVersion(int *version) { *version = told("FAKE_VERSION", 13000); return 0; }
int cuDeviceGetCount(int *count) { *count = told("FAKE_DEVICES", 1); return 0; }
END
mkdir -p "$work"/{cuda,wsl/lib,toolkit-stubs/stubs,other}
gcc -shared -fPIC -o "$work/cuda/libcuda.so.580.65.06" "$work/fake.c" || exit 2
ln -s libcuda.so.580.65.06 "$work/cuda/libcuda.so.1"
cp "$work/cuda/libcuda.so.580.65.06" "$work/wsl/lib/libcuda.so.1"
cp "$work/cuda/libcuda.so.580.65.06" "$work/toolkit-stubs/stubs/libcuda.so.1"
# What the kernel shows of a machine in order. CHANGE spoils it: machine NAME CHANGE makes one of its own.
machine() {
    local root=$work/$1
    mkdir -p "$root"/{dev,proc/driver/nvidia,proc/sys/kernel,sys/bus/pci/devices/0000:01:00.0,usr/lib/wsl/lib}
    touch "$root"/dev/nvidia{0,ctl,-uvm}
    echo 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build' >"$root/proc/driver/nvidia/version"
    echo 6.8.0-generic >"$root/proc/sys/kernel/osrelease"
    echo 0x10de >"$root/sys/bus/pci/devices/0000:01:00.0/vendor"
    echo 0x030200 >"$root/sys/bus/pci/devices/0000:01:00.0/class"
    (cd "$root" && eval "${2:-}")
}
wsl='echo 6.6.87-microsoft-standard-WSL2 >proc/sys/kernel/osrelease; rm -r proc/driver dev/nvidia*; touch dev/dxg'
machine fine
machine mismatch "sed -i s/580.65.06/580.82.07/ proc/driver/nvidia/version"
machine no-node "rm dev/nvidia0"
machine no-control "rm dev/nvidiactl"
machine no-uvm "rm dev/nvidia-uvm"
machine no-module "rm -r proc/driver dev/nvidia*"
machine nouveau "rm -r proc/driver dev/nvidia*; mkdir -p sys/module/nouveau"
machine wsl "$wsl"
machine wsl-without-gpu "$wsl; rm dev/dxg"
machine wsl-unlisted "$wsl; touch usr/lib/wsl/lib/libcuda.so.1"
# MACHINE SENTENCE [ENV...], with the fake driver.
card_breaks() { breaks "$2" LD_LIBRARY_PATH="$work/cuda" KIT_DOCTOR_ROOT="$work/$1" "${@:3}"; }
says_note() { local out; out=$(env CUDA_HOME="$work/quick" "${@:2}" "$grade" doctor 2>&1); grep '^driver ' <<<"$out" | grep -v PROBLEM | grep -qF -- "$1" || { echo "$out"; return 1; }; }

check "a card in order is no problem" silent driver LD_LIBRARY_PATH="$work/cuda" KIT_DOCTOR_ROOT="$work/fine"
check "and its library is named" says_note "for CUDA 13.0 and older, $work/cuda/libcuda.so.1" LD_LIBRARY_PATH="$work/cuda" KIT_DOCTOR_ROOT="$work/fine"
check "a driver for CUDA 12" card_breaks fine "CUDA driver version is insufficient for CUDA runtime version" FAKE_VERSION=12040
check "a kernel module without its library" breaks "its library libcuda.so.1 is not" KIT_DOCTOR_ROOT="$work/fine"
check "library and module of two versions" card_breaks mismatch "the library is 580.65.06 and the loaded kernel module 580.82.07"
check "no device file of the card" card_breaks no-node "there is no /dev/nvidia[0-9]*"
check "no device file of the driver" card_breaks no-control "there is no /dev/nvidiactl"
check "no device file of its memory" card_breaks no-uvm "unknown error"
check "a driver that shows no device" card_breaks fine "the driver works, and shows no GPU" FAKE_DEVICES=0
check "a driver that crashes" card_breaks fine "crashes or does not answer" FAKE_INIT=-1
check "an answer that nobody knows" card_breaks fine "cuInit answers 4321" FAKE_INIT=4321
while IFS=$'\t' read -r code sentence; do
    check "cuInit answers $code" card_breaks fine "would say: $sentence" FAKE_INIT="$code"
    check "error $code has the runtime's sentence" grep -qF ", $code, \"$sentence\")" common/cuda/include/kit/errors.def
done < <(sed -nE 's/^X\(([0-9]+), ("[^"]+"),.*/\1\t\2/p' grader/cli/driver_errors.def | tr -d '"')
check "the stub in LD_LIBRARY_PATH, found first" breaks "take that folder out of it" LD_LIBRARY_PATH="$work/toolkit-stubs/stubs" FAKE_INIT=34
check "a GPU and no driver is no problem" silent driver KIT_DOCTOR_ROOT="$work/no-module"
check "but it is said what to install" says_note "install NVIDIA's driver 580" KIT_DOCTOR_ROOT="$work/no-module"
check "and who has the GPU" says_note "nouveau has the machine's GPU" KIT_DOCTOR_ROOT="$work/nouveau"

# ---- Device files that are shut: root may open all, so another user asks ----
machine shut
ask_as_other() {
    mkdir -p "$work/kit/build/bin" "$work/kit/labs" && cp "$grade" "$work/kit/build/bin/" && chmod -R a+rX "$work"
    chmod 666 "$work"/shut/dev/nvidia* && chmod 600 "$work/shut/dev/nvidia-uvm"
    out=$(env LD_LIBRARY_PATH="$work/cuda" KIT_DOCTOR_ROOT="$work/shut" setpriv --reuid=65534 --regid=65534 --clear-groups "$work/kit/build/bin/grade" doctor 2>&1)
    grep -qF 'PROBLEM: /dev/nvidia-uvm may not be read and written by you: Permission denied' <<<"$out" && grep -qF 'mend: sudo chmod a+rw /dev/nvidia-uvm' <<<"$out" || { echo "$out"; return 1; }
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then check "a device file that is shut" ask_as_other
else skip "a device file that is shut" "needs root, to ask as another user"; fi

# ---- WSL ----
check "WSL in order is no problem" silent driver LD_LIBRARY_PATH="$work/wsl/lib" KIT_DOCTOR_ROOT="$work/wsl"
check "WSL with a Linux driver's library first" card_breaks wsl "a Linux driver's libcuda.so.1 stands before WSL's"
check "WSL without the device of GPUs" breaks "there is no /dev/dxg" LD_LIBRARY_PATH="$work/wsl/lib" KIT_DOCTOR_ROOT="$work/wsl-without-gpu"
check "WSL whose library is not found" breaks "LD_LIBRARY_PATH=/usr/lib/wsl/lib" KIT_DOCTOR_ROOT="$work/wsl-unlisted"
check "WSL without a driver is no problem" says_note "install NVIDIA's driver in Windows" KIT_DOCTOR_ROOT="$work/wsl"

# ---- CUDA_VISIBLE_DEVICES on a machine with two GPUs ----
stub two nvidia-smi 'if [ "$1" = -L ]; then echo "GPU 0: NVIDIA A (UUID: GPU-11aa-22)"; echo "  MIG 1g.5gb Device 0: (UUID: MIG-77aa)"; echo "GPU 1: NVIDIA A (UUID: GPU-33bb-44)"; else echo 580.65.06; fi'
for list in 0 1,0 GPU-11 GPU-33bb-44,0 MIG-77aa; do check "CUDA_VISIBLE_DEVICES=$list is there" silent visible PATH="$work/two:$PATH" CUDA_VISIBLE_DEVICES=$list; done
check "a device that is not there" breaks "the machine's 2 GPUs have numbers from 0 on" PATH="$work/two:$PATH" CUDA_VISIBLE_DEVICES=2
check "a second that is not there" breaks 'names "7", which is not there' PATH="$work/two:$PATH" CUDA_VISIBLE_DEVICES=1,7,0
check "an id that is not there" breaks 'names "GPU-99"' PATH="$work/two:$PATH" CUDA_VISIBLE_DEVICES=GPU-99
check "no number at all" breaks 'names "none"' PATH="$work/two:$PATH" CUDA_VISIBLE_DEVICES=none

# ---- Libraries in the wrong order ----
check "the kit's own runtime" breaks "holds the kit's own runtime" LD_LIBRARY_PATH="$BUILD/lib/vgpu"
touch "$work/other/libcudart.so.13"
check "a runtime before the toolkit's" breaks "before the runtime of the toolkit that builds" LD_LIBRARY_PATH="$work/empty:$work/other"
check "behind it is no problem" silent libraries LD_LIBRARY_PATH="$work/quick/lib64:$work/other"
stub picky/bin nvcc 'case "$*" in *--version*) echo "Cuda compilation tools, release 13.0, V13.0.88" ;; *) echo "host_config.h: error: -- unsupported GNU version! gcc versions later than 15 are not supported!" >&2; exit 1 ;; esac'
check "a compiler that nvcc refuses" breaks "unsupported GNU version" CUDA_HOME="$work/picky"
check "a toolkit without its runtime" breaks "has no $work/picky/lib64/libcudart.so.13" CUDA_HOME="$work/picky"
check "no compiler" breaks "gcc is not on the PATH" PATH="$work/empty"
check "no room to work in" breaks "cannot be written to" TMPDIR="$work/plain-file"
check "a folder that is not there" breaks "No such file" TMPDIR="$work/gone"
tap_end
