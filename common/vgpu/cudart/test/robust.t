#!/bin/bash
# Failures of every kind (walk.cu): --fail-at for each call that can fail, each allocation and system call of the library
# (fail_alloc.c); what is left behind when a program exits, aborts, crashes or is interrupted.
here=$(dirname "$0")
. "$here/tap.sh"

build_cu walk -rdc=true -lineinfo -g "$here/walk.cu" -lcudadevrt || finish

# ---- --fail-at=N, until nothing fails ----
n_failed=0
bad_runs=
for ((i = 1; i < 200; i++)); do
    "$vgpu" --quiet --devices=2 --check=none --error-exitcode=0 --fail-at=$i "$scratch/walk" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ $status -eq 0 ] && grep -qx 'f[a-z]*' "$scratch/out" || bad_runs="$bad_runs $i:$status"
    grep -q AddressSanitizer "$scratch/err" && bad_runs="$bad_runs $i:asan"
    grep -qx fine "$scratch/out" && break
    n_failed=$((n_failed + 1))
done
same "--fail-at: none of $n_failed failing calls ends the program" "" "$bad_runs"
[ $n_failed -gt 50 ] && [ $i -lt 200 ]
ok $? "the walk reaches every call, and its end"

# ---- allocations and system calls ----
if [ -n "$preload" ]; then
    ok 0 "failing allocations # SKIP the sanitizer has its own malloc"
else
    gcc -shared -fPIC -O1 -o "$scratch/fail.so" "$here/fail_alloc.c" -ldl >"$scratch/log" 2>&1
    ok $? "the failing allocator builds" "$scratch/log"
    export FAIL_ALLOC_FILE=$scratch/counts
    walk() { FAIL_ALLOC=$1 LD_PRELOAD=$scratch/fail.so LD_LIBRARY_PATH=$runtime timeout 60 "$scratch/walk" >"$scratch/out" 2>"$scratch/err"; }
    walk 0
    read -r calls live < <(od -An -td8 "$FAIL_ALLOC_FILE")
    [ "$calls" -gt 900 ] && grep -qx fine "$scratch/out"
    ok $? "without a failure all calls succeed ($calls allocations and system calls)" "$scratch/err"
    crashes= leaks= noticed=0
    for ((i = 1; i <= calls; i += i < 60 ? 1 : 9)); do
        walk $i 2>/dev/null
        status=$?
        read -r _ held < <(od -An -td8 "$FAIL_ALLOC_FILE")
        [ $status -eq 0 ] || crashes="$crashes $i:$status"
        [ "$held" -le "$live" ] || leaks="$leaks $i:$((held - live))"
        noticed=$((noticed + $(grep -cx failed "$scratch/out")))
    done 2>/dev/null
    same "none of them failing ends the program" "" "$crashes"
    same "or leaks" "" "$leaks"
    [ $noticed -gt 15 ]
    ok $? "failures reach the program as errors of calls ($noticed)"

    # The same with the devices in a process of their own: the library's part, and the command's, which serves them.
    for part in "library 200 7" "vgpu 700 29"; do
        read -r of least step <<<"$part"
        own=(LD_PRELOAD="$scratch/fail.so")
        [ $of = library ] || own+=(FAIL_ALLOC_IN=$of)
        walk() {
            env "${own[@]}" FAIL_ALLOC=$1 timeout 60 "$vgpu" --quiet --isolated --devices=2 --check=none --error-exitcode=0 "$scratch/walk" >"$scratch/out" 2>"$scratch/err"
        }
        walk 0
        read -r calls _ < <(od -An -td8 "$FAIL_ALLOC_FILE")
        [ "$calls" -gt "$least" ] && grep -qx fine "$scratch/out"
        ok $? "isolated, $of: without a failure all calls succeed ($calls)" "$scratch/err"
        crashes= noticed=0
        for ((i = 1; i <= calls; i += i < 12 ? 1 : step)); do # the first ones make the server
            walk $i 2>/dev/null
            status=$?
            [ $status -eq 0 ] || [ $status -eq 2 ] || [ $status -eq 127 ] || crashes="$crashes $i:$status"
            noticed=$((noticed + $(grep -cx failed "$scratch/out")))
        done 2>/dev/null
        same "isolated, $of: none of them failing ends the program or the command badly" "" "$crashes"
        [ $noticed -gt 5 ]
        ok $? "isolated, $of: they reach the program as errors of calls ($noticed)"
    done
fi

# ---- what is left behind ----
cat >"$scratch/end.cu" <<'END'
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__global__ void spin(volatile int *p) { while (*p == 0) {} }
int main(int, char **argv)
{
    int *h, *d;
    cudaMallocHost(&h, 4);
    cudaMalloc(&d, 64 << 20);
    *h = 0;
    spin<<<1, 1>>>(h);
    puts("ready"), fflush(stdout);
    switch (argv[1][0]) {
    case 'e': *h = 1; exit(0);
    case 'q': _exit(0);
    case 'a': abort();
    case 'c': *(volatile int *)d = 1; // host code on device memory
    case 'k': raise(SIGKILL);
    default: cudaDeviceSynchronize();
    }
}
END
build_cu end -lineinfo -g "$scratch/end.cu" || finish
mkdir "$scratch/tmp"
left() { # what still runs in the session of the program, and which files it left
    ps -o pid= -s "$1" | tr '\n' ' '
    ls -A "$scratch/tmp"
}
for how in exit quit abort crash kill; do
    (cd "$scratch/tmp" && TMPDIR=$scratch/tmp setsid "$vgpu" --quiet "$scratch/end" $how >"$scratch/out" 2>&1 & echo $! >"$scratch/pid"; wait)
    same "nothing is left after $how" "" "$(left "$(cat "$scratch/pid")")"
    grep -q ready "$scratch/out" || ok 1 "$how: the program ran" "$scratch/out"
done
cd "$scratch/tmp" || exit 1
TMPDIR=$scratch/tmp setsid env --default-signal=INT "$vgpu" --quiet "$scratch/end" wait >"$scratch/out" 2>&1 &
pid=$!
for ((i = 0; i < 100; i++)); do
    grep -q ready "$scratch/out" && break
    sleep 0.1
done
[ "$(ps -o pid= -s $pid | wc -l)" -ge 2 ]
ok $? "the command and its program run in a session of their own"
kill -INT -- "-$pid"
wait $pid 2>/dev/null
for ((i = 0; i < 30; i++)); do
    [ -z "$(left $pid)" ] && break
    sleep 0.1
done
same "nothing is left after Ctrl-C in a kernel without end" "" "$(left $pid)"
kill -KILL -- "-$pid" 2>/dev/null # should it have failed

# ---- without the command: each finding once, the assertion's text as hardware prints it ----
cat >"$scratch/assert.cu" <<'END'
#include <cassert>
#include <cuda_runtime.h>
__global__ void k(int *p) { assert(*p == 1); }
int main()
{
    int *p;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    cudaDeviceSynchronize();
}
END
build_cu assert -lineinfo -g "$scratch/assert.cu" || finish
direct "$scratch/assert" >"$scratch/out" 2>"$scratch/err"
same "a finding is told once" 1 "$(grep -c '^[^ ]*assert.cu:3:[0-9]*: assert: ' "$scratch/err")"
same "an assertion's own text too" 1 "$(grep -c '^[^ ]*assert.cu:3: void k(int \*): block: \[0,0,0\], thread: \[0,0,0\] Assertion' "$scratch/err")"
same "on standard error alone" 0 "$(wc -c <"$scratch/out")"
"$vgpu" --quiet "$scratch/assert" 2>"$scratch/err" >/dev/null
same "also when the command is quiet, and nothing else" 1 "$(grep -c 'Assertion' "$scratch/err")"
same "one line" 1 "$(wc -l <"$scratch/err")"
finish
