#!/bin/bash
# The generator gives the same bytes for the same seed, the virtual GPU runs its kernels without a finding, ptxas takes them,
# and the comparison tells a planted difference.
here=$(dirname "$0")
. "$here/../../cudart/test/tap.sh"
program=$BUILD/bin/differential
ptxas=$CUDA_HOME/bin/ptxas

"$program" --ptx --seeds=3 >"$scratch/first.ptx" && "$program" --ptx --seeds=3 >"$scratch/second.ptx"
cmp -s "$scratch/first.ptx" "$scratch/second.ptx"
ok $? "the same seeds give the same PTX"
[ "$("$program" --ptx --family=bits --seed=1 | cksum)" != "$("$program" --ptx --family=bits --seed=2 | cksum)" ]
ok $? "another seed gives another"
for family in $("$program" --families); do
    "$program" --ptx --family="$family" --seed=7 >"$scratch/k.ptx"
    "$ptxas" -O0 -arch=sm_90 -o /dev/null "$scratch/k.ptx" 2>>"$scratch/ptxas.log" || echo "$family" >>"$scratch/refused"
done
[ ! -e "$scratch/refused" ]
ok $? "ptxas takes a kernel of each family" "$scratch/ptxas.log"

"$vgpu" --quiet --device=h100 "$program" --seeds=4 >"$scratch/virtual.txt" 2>"$scratch/err"
ok $? "kernels of all families run without a finding" "$scratch/err"
! grep -q error "$scratch/virtual.txt"
ok $? "none is refused" "$scratch/virtual.txt"
"$vgpu" --quiet --device=h100 "$program" --seeds=4 >"$scratch/again.txt" 2>"$scratch/err"
"$program" --compare="$scratch/virtual.txt,$scratch/again.txt" >"$scratch/same"
ok $? "a second run gives the same answers" "$scratch/same"

# the last slot of a kernel, and one bit of one value's upper half
sed '/^bits 2 /s/.$/x/' "$scratch/virtual.txt" >"$scratch/planted.txt"
"$program" --compare="$scratch/virtual.txt,$scratch/planted.txt" >"$scratch/diff"
same "a changed hash fails the comparison" 1 $?
has "and its kernel, slot and instruction are told" "$scratch/diff" "^bits 2: 1 of 48 slots differ; first 47: [a-z]"
sed '/^approx32 0.5 /s/values [0-9a-f]*/values 12345678/' "$scratch/virtual.txt" >"$scratch/planted.txt"
"$program" --compare="$scratch/virtual.txt,$scratch/planted.txt" >"$scratch/diff"
same "a value outside the bounds fails it too" 1 $?
has "with its thread" "$scratch/diff" "^approx32 0: slot 5, thread 0: .*got 12345678"
finish
