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
    case $target in
    ptx) files=("${modules[@]}") ;;
    exec) files=("${modules[@]}" "$here"/corpus/exec/*) ;;
    *) files=("$here/corpus/$target"/*) ;;
    esac
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

# fuzz-all, on programs that stand for libFuzzer's: one runs well, one finds something, one does not start.
bundle=$scratch/bundle
mkdir "$bundle"
cp "$here/fuzz-all.sh" "$bundle/fuzz-all"
program() { printf '#!/bin/sh\n%s\n' "$2" | gzip >"$bundle/libfuzzer-$1.gz"; }
ran='echo "#7: cov: 3 ft: 3 corp: 1"'
program ptx "$ran"
fuzz_all() { rm -rf "$scratch/out"; "$bundle/fuzz-all" 1 "${cores:-4}" "$scratch/out" "$@" >"$scratch/log" 2>&1; }
fuzz_all
ok $? "fuzz-all ends well when nothing was found"
grep -q '^ptx: #7: .* 0 found$' "$scratch/log"
ok $? "and gives a line to each target"
program exec "$ran; for a; do case \$a in -artifact_prefix=*) echo x >\${a#*=}crash-1 ;; esac; done"
fuzz_all
[ $? -eq 1 ] && grep -q '^exec: #7: .* 1 found$' "$scratch/log" && [ -s "$scratch/out/exec-crash-1" ]
ok $? "an input that was found is kept, told of and makes it fail"
for target in a b c d e; do program $target "$ran"; done
rm "$bundle/libfuzzer-exec.gz"
fuzz_all
[ $? -eq 0 ] && [ "$(grep -c ' 0 found$' "$scratch/log")" -eq 6 ]
ok $? "more targets than processors all have their turn"
# Named ones have the same number of processes each; of all of them those that execute or parse kernels have most.
says='echo "$@" | sed "s/.*-fork=\([0-9]*\) .*/forks \1/"; echo "#7: cov: 3 ft: 3 corp: 1"'
for target in exec ptx fatbin; do program $target "$says"; done
forks() { for target in exec ptx fatbin; do sed -n 's/^forks //p' "$scratch/out/$target.log"; done | tr '\n' ' '; }
cores=11 fuzz_all exec ptx fatbin
[ $? -eq 0 ] && [ "$(forks)" = "3 4 4 " ]
ok $? "named targets share the processors evenly: $(forks)"
cores=9 fuzz_all
[ $? -eq 0 ] && [ "$(forks)" = "3 4 1 " ]
ok $? "all targets do not: $(forks)"
grep -Eq '^exec: #7: .* [0-9.]+ processor minutes, 0 found$' "$scratch/log"
ok $? "each line has the processor time"
program exec "exit 1"
fuzz_all exec
[ $? -eq 2 ]
ok $? "and so does a target that did not run"
echo "1..$n"
exit $bad
