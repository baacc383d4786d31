#!/bin/bash
# Matrix and asynchronous instructions in programs that nvcc builds: wmma.cu and async.cu against the CPU, tensor_bits.cu against
# what hardware printed. tensor_bits.txt was made on an H200 by `nvcc -std=c++17 -arch=sm_90 tensor_bits.cu`, `./a.out > bits` and
# summarise of the function below.
here=$(dirname "$0")
. "$KIT/common/vgpu/cudart/test/tap.sh"
checks=--check=memory,race,init,sync

summarise() { # FILE: name, lines and sha256 of the lines of each name
    awk '{ print $1 == "layout" ? "layout" : $1 }' "$1" | sort -u | while read -r name; do
        echo "$name $(grep -c "^$name " "$1") $(grep "^$name " "$1" | sha256sum | cut -d' ' -f1)"
    done
}

build() { # NAME [nvcc options]
    local name=$1
    shift
    nvcc -std=c++17 -cudart shared -lineinfo "$@" -o "$scratch/$name" "$here/$name.cu" >"$scratch/$name.log" 2>&1
    ok $? "nvcc builds $name" "$scratch/$name.log"
}

build wmma -DARCH=80 -arch=compute_80
"$vgpu" $checks --device=a100 "$scratch/wmma" >"$scratch/out" 2>"$scratch/err"
same "wmma exits 0" 0 $?
same "wmma: nothing is wrong" "" "$(grep -v '^right' "$scratch/out" | grep -v '^0 failures')"
same "wmma: cases" 75 "$(grep -c '^right' "$scratch/out")"

build async -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90
for device in a100 h100; do
    "$vgpu" --device=$device --seed=3 "$scratch/async" >"$scratch/out" 2>"$scratch/err"
    same "async on $device: no findings" 0 $?
    same "async on $device: nothing is wrong" 7 "$(grep -c '^right' "$scratch/out")"
done
wrong() { # NUMBER KIND MARK: which kernel, what is found, a line that must be named
    "$vgpu" --device=a100 "$scratch/async" "$1" >"$scratch/out" 2>"$scratch/err"
    same "wrong copy $1 is found" 1 $?
    has "wrong copy $1: what it is" "$scratch/err" "async.cu:[0-9]+:[0-9]+: $2: "
    has "wrong copy $1: its line" "$scratch/err" "async.cu:$(grep -n "line: $3" "$here/async.cu" | cut -d: -f1)\\b"
}
wrong 0 uninitialized "read before the wait"
wrong 1 race "race: another thread's copy"
wrong 2 race "race: others may still read"

build tensor_bits -arch=compute_90
"$vgpu" --quiet --check=none --device=h100 "$scratch/tensor_bits" >"$scratch/bits" 2>"$scratch/err"
same "tensor_bits exits 0" 0 $?
summarise "$scratch/bits" >"$scratch/summary"
same "the bits of hardware" "" "$(diff "$here/tensor_bits.txt" "$scratch/summary")"
finish
