#!/bin/bash
# Each fuzz target on its corpus and on seeded mutations of it: no crash; under SAN no report either.
here=$KIT/common/vgpu/fuzz
modules=("$KIT"/common/vgpu/exec/test/ptx/*.ptx "$here"/corpus/ptx/*.ptx)
n=0
bad=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

ok() { # STATUS NAME
    n=$((n + 1))
    [ "$1" -eq 0 ] && echo "ok $n - $2" || { echo "not ok $n - $2"; bad=1; tail -n 20 "$scratch/log" | sed 's/^/# /'; }
}

for target in ptx exec fatbin remote; do
    files=("$here/corpus/$target"/*)
    [ -e "${files[0]}" ] && [ $target != ptx ] || files=("${modules[@]}")
    program=$BUILD/fuzz/fuzz-$target
    "$program" --seed=2026 --mutations=$([ $target = remote ] && echo 1000 || echo 5000) "${files[@]}" >"$scratch/log" 2>&1
    ok $? "$target: $(tail -n 1 "$scratch/log" | tr '#' ' ')"
    for run in first second; do "$program" --mutations=9 --print=9 "${files[@]}" >"$scratch/$run"; done
    cmp -s "$scratch/first" "$scratch/second"
    ok $? "$target: a seed gives the same mutant again"
    "$program" --seed=7 --mutations=9 --print=9 "${files[@]}" >"$scratch/second"
    ! cmp -s "$scratch/first" "$scratch/second"
    ok $? "$target: another seed gives another"
done

# Control: a target that dies of two lines in a row which no file has so.
gcc -std=c11 -fPIC -I"$KIT" -c -o "$scratch/planted.o" "$here/test/planted.c" &&
    gcc -pthread ${SAN:+-fsanitize=$SAN} -o "$scratch/planted" "$scratch/planted.o" "$BUILD/common/vgpu/fuzz/standalone.o" >"$scratch/log" 2>&1
ok $? "the planted target builds"
! "$scratch/planted" --mutations=20000 "${modules[@]}" >"$scratch/log" 2>&1
ok $? "mutations find what is planted in it"
"$scratch/planted" "${modules[@]}" >"$scratch/log" 2>&1
ok $? "the files alone do not"
"$BUILD/fuzz/fuzz-ptx" "$scratch/none" 2>"$scratch/log"
[ $? -eq 2 ]
ok $? "a file that is not there is the caller's fault"
echo "1..$n"
exit $bad
