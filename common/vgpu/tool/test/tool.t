#!/bin/bash
# The `vgpu` command: exit statuses, what it prints, the report and the time line, signals, programs that it cannot run.
here=$(dirname "$0")
. "$KIT/common/vgpu/cudart/test/tap.sh"
command -v jq >/dev/null || skip_all "no jq"

build_cu faults -lineinfo -g "$here/faults.cu" || finish
program=$scratch/faults
line() { # number of the line that is marked
    grep -n "line: $1 \*/" "$here/faults.cu" | head -1 | cut -d: -f1
}
# run NAME EXPECTED-STATUS [vgpu options...] -- [arguments]
run() {
    local name=$1 wanted=$2 options=()
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    "$vgpu" "${options[@]}" "$program" "$@" >"$scratch/out" 2>"$scratch/err"
    same "$name" "$wanted" $?
}

# ---- exit statuses ----
run "a right program" 0 -- none
run "the program's own status" 5 -- status
run "a finding of a program that exits 0" 1 -- bounds
run "the status for findings can be chosen" 77 --error-exitcode=77 -- bounds
run "and can be 0" 0 --error-exitcode=0 -- bounds
run "a leak is a finding" 1 -- leak
run "unless it is not looked for" 0 --check=memory,race -- leak
run "after an error that stays" 1 -- bounds
has "what was not checked is said" "$scratch/err" 'kernels after that error did not run, and leaks were not looked for'
build_cu optimised -O2 -lineinfo -g "$here/faults.cu"
"$vgpu" "$scratch/optimised" leak >"$scratch/out" 2>"$scratch/err"
has "the line of a cudaMalloc<T> that was inlined" "$scratch/err" "^[^ ]*faults.cu:[0-9]*: leak"
! grep -q 'with -g' "$scratch/err"
ok $? "-g is not asked for" "$scratch/err"
run "no checks: the error is still there" 0 --check=none -- print
same "and it is told to the program" cudaSuccess "$(cat "$scratch/out")"
run "a signal" 139 -- crash
has "the signal is named" "$scratch/err" 'ended by signal 11'
run "a program that leaves by _exit" 0 -- quick-exit
has "what is not known is said" "$scratch/err" 'leaks and totals are not known'
run "double free" 1 -- free-twice
has "its line" "$scratch/err" "faults.cu:$(line 'second free'): double-free"
(cd "$here" && "$vgpu" "$program" bounds) >"$scratch/out" 2>"$scratch/err"
has "below the current folder a kernel's file is named as from there" "$scratch/err" '^faults.cu:[0-9]*:[0-9]*: out-of-bounds'
(cd / && "$vgpu" --color=always "$program" bounds) >"$scratch/out" 2>"$scratch/err"
has "from the root by its whole path" "$scratch/err" "m$KIT/(./)?common/vgpu/tool/test/faults.cu:[0-9]*:"
run "an endless kernel" 1 --max-instructions=100000 -- count-forever
has "is named" "$scratch/err" '^.*timeout: '
has "with who waits where" "$scratch/err" "reads? again and again 4 bytes, at byte 0 of an allocation of 400 bytes at faults.cu:$(line count)"
grep -q 'lifts the limit' "$scratch/err"
same "a limit that was chosen needs no word" 1 $?
run "a wait for what nobody can write ends by itself" 1 --max-instructions=0 -- forever
has "as a deadlock" "$scratch/err" "faults.cu:$(line flag):.*deadlock: .*reads again and again 4 bytes"

run "blocks that wait for others by their place, of which more come than there is room for" 1 --seed=3 --max-instructions=0 -- chain
has "wait for those that have not begun" "$scratch/err" "deadlock: .*of 2000 blocks have not begun"
has "and have a hint of their own" "$scratch/err" 'blocks begin in any order, and only when there is room'
run "blocks that wait for those that took a number before" 0 --seed=3 -- chain-of-tickets
has "end" "$scratch/err" 'no findings'

# ---- which array, which launch, which turn ----
run "far behind the end of an array" 1 -- array-far
has "it is the one that the kernel meant" "$scratch/err" 'after allocation 2 \(400 bytes at .*\), parameter 1 of the kernel'
has "the element is told" "$scratch/err" 'element [0-9]* of 100 elements: work the index out'
has "the launch is told as it was written" "$scratch/err" "launched at [^ ]*faults.cu:$(line far) in arrays[^ ]* as <<<1, 128>>>\(#2, #3, 300, 100\)"
run "before an array, where memory was freed" 1 -- array-freed
has "it is an index that is negative" "$scratch/err" "faults.cu:$(line gather):[0-9]*: out-of-bounds"
has "and says so" "$scratch/err" 'the index is negative'
run "a pointer from memory that leads to freed memory" 1 -- array-chased
has "is used after it was freed" "$scratch/err" "faults.cu:$(line chase):[0-9]*: use-after-free"
run "a barrier within each turn, and none between two" 1 -- array-turns
has "the missing one is named" "$scratch/err" 'none between one turn and the next'
run "a loop without an end" 1 --max-instructions=1000000 -- array-endless
has "is told as one" "$scratch/err" 'a loop has no end'
run "a limit of processor time" 1 --max-seconds=1 --max-instructions=0 -- count-forever
has "ends the kernel, and tells its line" "$scratch/err" 'faults.cu:[0-9]*:[0-9]*: timeout: the kernel used up its budget of instructions or time'
run "a limit that is over before the first block" 1 --max-seconds=1 -- late-rows
has "is told of that block" "$scratch/err" 'timeout: the kernel used up its budget of instructions or time'
run "the last error, asked for twice" 0 -- asked-twice
has "the second question is told" "$scratch/err" "faults.cu:$(line 'asked twice'): advice: api-misuse: cudaGetLastError is asked a second time"
run "the last error, asked for once and then cleared" 0 -- asked-and-cleared
! grep -q 'asked a second time' "$scratch/err"
ok $? "that is no mistake" "$scratch/err"

for option in --check=nonsense --device=nonsense --jobs=many --error-exitcode= --color=green --nonsense; do
    "$vgpu" "$option" "$program" >"$scratch/out" 2>"$scratch/err"
    same "$option is refused" 2 $?
done
"$vgpu" >"$scratch/out" 2>"$scratch/err"
same "no program" 2 $?
"$vgpu" /nonexistent/program >"$scratch/out" 2>"$scratch/err"
same "a program that is not there" 2 $?
"$vgpu" --help >"$scratch/out"
same "--help" 0 $?
"$vgpu" --version | grep -q '^vgpu [0-9]'
ok $? "--version"
"$vgpu" --list-devices >"$scratch/out"
same "--list-devices" 0 $?
for model in $(awk '{ print $1 }' "$scratch/out"); do
    run "runs on $model" 0 --device="$model" -- none
done
"$vgpu" true >"$scratch/out" 2>"$scratch/err"
same "a program without CUDA" 0 $?
same "nothing is said of it" "" "$(cat "$scratch/err")"

# ---- what is printed ----
run "findings as text" 1 -- bounds
has "the place" "$scratch/err" "faults.cu:$(line write):[0-9]+: out-of-bounds: write of 4 bytes"
has "the thread" "$scratch/err" 'by thread \(36,0,0\) of block \(1,0,0\) in fill\(int\*, int\)'
has "the allocation and the line that made it" "$scratch/err" "1 byte after allocation 1 \(400 bytes.*faults.cu:$(line allocation) in main"
has "the launch" "$scratch/err" "launched at .*faults.cu:$(line launch) in main"
has "the summary" "$scratch/err" '^vgpu: 1 finding \(out-of-bounds\); exit status 1$'
cp "$scratch/err" "$scratch/first"
run "again" 1 -- bounds
cmp -s "$scratch/first" "$scratch/err"
ok $? "the same bytes again"
grep -q $'\033' "$scratch/err"
[ $? -ne 0 ]
ok $? "no colour in a file"
NO_COLOR=1 run "colour when asked" 1 --color=always -- bounds
grep -q $'\033' "$scratch/err"
ok $? "is there"
run "--quiet" 1 --quiet -- bounds
same "prints nothing" "" "$(cat "$scratch/err")"
run "--profile" 0 --profile -- none
has "the kernel" "$scratch/err" "^fill\(int\*, int\)$"

# ---- report and time line ----
run "a report" 1 --report="$scratch/r.json" --timeline="$scratch/t.json" -- bounds
same "is JSON of schema 1" 1 "$(jq .schema "$scratch/r.json")"
same "its finding" "[\"out-of-bounds\",\"out-of-bounds\",$(line write),[1,0,0],[36,0,0],400,$(line allocation),1]" \
    "$(jq -c '.findings[0] | [.kind, .verdict, .line, .block, .thread, .allocation.bytes, .allocation.line, .allocation.distance]' "$scratch/r.json")"
same "its errors" '["cudaDeviceSynchronize","cudaErrorIllegalAddress",700,true]' \
    "$(jq -c '.errors[0] | [.call, .error, .code, .sticky]' "$scratch/r.json")"
same "its launch" '["fill(int*, int)",[2,1,1],[64,1,1]]' "$(jq -c '.launches[0] | [.kernel, .grid, .block]' "$scratch/r.json")"
same "its ending" '{"status":0,"signal":0}' "$(jq -c .exit "$scratch/r.json")"
same "the time line has the kernel" 'fill(int*, int)' "$(jq -r '.traceEvents[] | select(.ph == "X") | .name' "$scratch/t.json")"
cp "$scratch/r.json" "$scratch/first.json"
run "with two jobs" 1 --jobs=2 --report="$scratch/r.json" -- bounds
cmp -s "$scratch/first.json" "$scratch/r.json"
ok $? "the report is the same bytes"
run "copies" 0 --report="$scratch/r.json" -- copies
same "bytes by who wrote them last" '[0,800,500,400]' \
    "$(jq -c '.memory | [.h2d_bytes, .d2h_bytes, .d2h_kernel_bytes, .d2d_bytes]' "$scratch/r.json")"
run "the time line as text" 0 --timeline-text --svg="$scratch/t.svg" -- overlap
cp "$scratch/err" "$scratch/err.first"
has "a row a stream" "$scratch/err" '^  stream 1  Ii*Kk*Oo*$'
has "the second begins later" "$scratch/err" '^  stream 2  +Ii*Kk*Oo*$'
has "the sum" "$scratch/err" '^vgpu: copies in .* us \+ kernels .* us \+ copies out .* us = .* us of work in .* us: overlap ratio 1\.[0-9][0-9]$'
run "its report" 0 --report="$scratch/r.json" -- overlap
same "has the same ratio" "$(sed -n 's/.*overlap ratio //p' "$scratch/err.first")" "$(jq '.metrics.overlap_ratio * 100 | round / 100' "$scratch/r.json")"
same "the picture has a bar for each operation" 6 "$(grep -c '<g><rect' "$scratch/t.svg")"
has "and the card's roofline" "$scratch/t.svg" 'Roofline of the Virtual T4'
same "and is XML" "" "$(python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$scratch/t.svg" 2>&1)"
run "in one stream" 0 --report="$scratch/r.json" -- serial
same "nothing overlaps" true "$(jq '.metrics.overlap_ratio | . > 0.5 and . <= 1' "$scratch/r.json")"
run "nothing on the time line" 0 --timeline-text -- nothing
has "is said" "$scratch/err" 'nothing on the time line'
run "a copy of host memory that is not there" 139 -- host-beyond
has "its line" "$scratch/err" "faults.cu:$(line beyond): advice: api-misuse: a copy from or to host memory that the program does not have"
run "a copy past the end of a lab's array" 1 -- overread
has "is told with its line" "$scratch/err" "faults.cu:$(line overread): host-overread: a copy reads host memory past the end of its array: cudaMemcpy of 16 bytes from byte 4 of an array of 16 bytes"
run "isolated" 1 --isolated -- overread
has "it is told too" "$scratch/err" "faults.cu:$(line overread): host-overread"
run "a copy of all of it" 0 -- overread-not
run "two streams on one place" 1 --report="$scratch/r.json" -- streams-race
has "are a race, with the line" "$scratch/err" "faults.cu:$(line 'second stream'): stream-race: a kernel writes memory that a kernel in another stream writes"
has "and the other line" "$scratch/err" "the other operation: at .*faults.cu:$(line 'first stream') in"
same "in the report too" "[\"race\",$(line 'second stream'),$(line 'first stream')]" \
    "$(jq -c '.findings[0] | [.verdict, .site.line, .other.line]' "$scratch/r.json")"
run "a launch without its stream" 1 -- streams-default
has "is called that" "$scratch/err" "stream-race: a kernel in the default stream writes memory that a kernel in another stream writes"
has "and has its own hint" "$scratch/err" 'hint: is a stream argument missing\?'
run "not looked for without race" 0 --check=memory -- streams-race
run "a report that cannot be written" 2 --report=/nonexistent/r.json -- none

# ---- host code that touches device memory ----
run "host code reads device memory" 139 --report="$scratch/r.json" -- touch-read
has "the line, not the caller's" "$scratch/err" "faults.cu:$(line 'host read'): host-access: host code touched device memory"
has "the allocation" "$scratch/err" "at 0x[0-9a-f]*, byte 16 of allocation 1 \(4,000 bytes at .*, made at .*faults.cu:$(line touched) in touch\)"
has "the hint" "$scratch/err" 'hint: copy it with cudaMemcpy first, or launch a kernel'
has "the signal" "$scratch/err" '^vgpu: 1 finding \(host-access\); the program ended by signal 11'
same "its members" "[\"host-access\",\"crash\",\"read\",4000,$(line touched),$(line 'host read'),\"add_up\"]" \
    "$(jq -c '.findings[0] | [.kind, .verdict, .access, .allocation.bytes, .allocation.line, .site.line, .site.function]' "$scratch/r.json")"
run "it writes" 139 --check=none -- touch-write
has "its line" "$scratch/err" "faults.cu:$(line 'host write'): host-access"
run "a library does it for the program" 139 -- touch-memcpy
has "the program's line" "$scratch/err" "faults.cu:$(line 'host copy'): host-access"
run "freed memory" 139 -- touch-freed
has "is called that" "$scratch/err" 'byte 4 of allocation 1 .*, freed at '
run "the program handles the signal" 1 -- touch-handled
has "its handler runs" "$scratch/err" '^own handler: 11$'
has "the finding is there" "$scratch/err" '^vgpu: 1 finding \(host-access\); exit status 1$'
run "a crash of another kind" 139 -- touch-null
has "has its line" "$scratch/err" "faults.cu:$(line 'host null'): host-fault: host code touched an address where there is no memory"
has "and is no device's" "$scratch/err" '^vgpu: 1 finding \(host-fault\); the program ended by signal 11'
run "a recursion without an end" 139 -- touch-deeper
has "is the stack's end" "$scratch/err" "faults.cu:[0-9]*: host-stack-overflow: stack overflow"
run "memory beyond a pinned allocation" 139 -- touch-pinned
has "names it" "$scratch/err" "bytes after allocation .*made at .*faults.cu:$(line pinned) in touch"
run "a place past the end of pinned memory, in its last page" 1 -- touch-little
has "is told when the memory is freed" "$scratch/err" "faults.cu:$(line 'little freed'): host-overrun: host code has written past the end"
has "with its distance" "$scratch/err" "1 byte after allocation .*made at .*faults.cu:$(line little) in touch"
run "isolated" 1 --isolated -- touch-little
has "the same" "$scratch/err" "faults.cu:$(line 'little freed'): host-overrun"
run "managed memory" 139 -- touch-managed
has "is told at a wait" "$scratch/err" "faults.cu:$(line 'managed waited'): host-overrun"
has "with that distance" "$scratch/err" "5 bytes after allocation "
has "what had been freed is called that" "$scratch/err" "faults.cu:$(line 'managed late'): host-fault: host code touched memory that had been freed"
run "free() for pinned memory" 139 -- touch-free
has "has its cure" "$scratch/err" 'hint: .*cudaFreeHost frees the one'
has "and its line" "$scratch/err" "faults.cu:$(line 'host free'): host-fault"
run "a heap that is damaged" 134 -- touch-heap
has "has the line where it shows" "$scratch/err" "faults.cu:$(line heap): host-abort: host code was ended by abort"
if [ -r "$(dirname "$(ldd /bin/sh | awk '$1 == "libc.so.6" { print $3 }')")/libc_malloc_debug.so.0" ]; then
    run "a byte past the end of the heap's memory" 134 -- touch-byte
    has "is found when it is freed" "$scratch/err" "faults.cu:$(line byte): host-abort: .*"
    run "the same in a process of its own" 134 --isolated -- touch-byte
    MALLOC_CHECK_=0 run "where the environment says otherwise, it is not" 0 --check=memory -- touch-byte
fi
build_cu sanitized -Xcompiler -fsanitize=address "$here/faults.cu" -lasan
ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$vgpu" "$scratch/sanitized" none >"$scratch/out" 2>"$scratch/err"
same "a program with a sanitizer's malloc keeps that" 0 $?
run "a copy of pinned memory whose direction is wrong" 0 --check=memory -- touch-way
has "gets advice" "$scratch/err" "faults.cu:$(line 'wrong way'): advice: copy-direction: .*device memory is named as the host's"
same "once" 1 "$(grep -c "named as the host's" "$scratch/err")"
run "which may be raised" 1 --check=memory --raise=copy-direction -- touch-way
has "to a finding" "$scratch/err" "faults.cu:$(line 'wrong way'): copy-direction: .*device memory is named as the host's"
run "an index outside of its array" 132 -- touch-index
has "has its line" "$scratch/err" "faults.cu:$(line 'out of bounds'): host-index: host code used an index that lies outside"
if [ "$(uname -m)" = x86_64 ]; then # arm64 gives 0
    run "a division by 0" 136 -- touch-divide
    has "has its line" "$scratch/err" "faults.cu:$(line divide): host-division: host code divided a whole number by 0"
    has "and no address" "$scratch/err" '^  hint: what is it divided by'
fi
direct "$program" touch-read >"$scratch/out" 2>"$scratch/err"
same "without the command" 139 $?
has "a sentence" "$scratch/err" '^host-access: host code touched device memory: 0x[0-9a-f]* is 16 bytes into allocation 1 \(4000 bytes\)$'

# ---- what the program's own standard error gets ----
for option in --quiet --check=none; do
    run "an assertion, $option" 0 $option --error-exitcode=0 -- assert
    has "is told as hardware tells it" "$scratch/err" \
        "faults.cu:$(line assertion): void assert_small\(int\): block: \[0,0,0\], thread: \[0,0,0\] Assertion \`x == 1\` failed\.$"
done
direct "$program" race-twice >"$scratch/out" 2>"$scratch/err"
same "a finding without the command is told once" 1 "$(grep -c 'race: ' "$scratch/err")"

# ---- failing calls ----
run "no call fails" 0 -- checked
step=1
for wanted in "10 cudaErrorMemoryAllocation" "11 cudaErrorMemoryAllocation" "12 cudaErrorMemoryAllocation" "13 cudaErrorLaunchOutOfResources" \
    "14 cudaErrorLaunchFailure" "15 cudaErrorInvalidValue" "17 cudaErrorInvalidDeviceFunction"; do
    "$vgpu" --quiet --fail-at=$step "$program" checked >"$scratch/out" 2>"$scratch/err"
    same "--fail-at=$step" "$wanted" "$(cat "$scratch/out")"
    step=$((step + 1))
done
run "--fail-at beyond the last call" 0 --fail-at=$step -- checked

# ---- signals ----
"$vgpu" "$program" sleep >"$scratch/out" 2>"$scratch/err" &
pid=$!
for _ in $(seq 900); do
    grep -q ready "$scratch/out" && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
same "a signal is handed on" 42 $?

# A kernel that does not end by itself. end_by NAME SIGNAL [vgpu options...] -- ARGUMENT
end_by() {
    local name=$1 signal=$2 options=()
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    env --default-signal=INT "$vgpu" "${options[@]}" "$program" "$2" >"$scratch/out" 2>"$scratch/err" &
    local pid=$!
    for _ in $(seq 900); do
        grep -q launched "$scratch/out" && break
        sleep 0.1
    done
    sleep 1
    kill "-$signal" $pid
    wait $pid
    local status=$?
    same "$name" "$((128 + $(kill -l "$3")))" $status
}
for options in "" --isolated; do
    for signal in HUP ALRM XCPU; do
        end_by "a kernel that runs is ended by SIG$signal $options" $signal $options -- count-forever $signal
        has "and says where it was" "$scratch/err" "faults.cu:$(line count):.*interrupted: "
    done
    end_by "a kernel that runs is ended by SIGTERM $options" TERM $options -- count-forever TERM
    has "and says where it was" "$scratch/err" "faults.cu:$(line count):.*interrupted: .*4 warps .*read again and again"
    has "and what ended it" "$scratch/err" 'ended by signal 15'
done
end_by "and by SIGINT" INT -- count-forever INT
has "with the same words" "$scratch/err" "advice: interrupted: "
end_by "a program that ignores SIGTERM is ended all the same" TERM -- deaf KILL

# ---- the record of provenance ----
(cd "$scratch" && "$vgpu" --provenance=where --report=with "$program" none >out 2>err)
same "a record is written" true "$(jq .complete "$scratch/where")"
(cd "$scratch" && "$vgpu" --provenance=none --report=without "$program" none >out 2>err)
same "none: it is written nowhere" "" "$(ls "$scratch" | grep '^none')"
same "and the report is the same" "$(cat "$scratch/with")" "$(cat "$scratch/without")"

# ---- programs that it cannot run ----
nvcc -arch=compute_75 -o "$scratch/static" "$here/faults.cu" >"$scratch/log" 2>&1
"$vgpu" "$scratch/static" >"$scratch/out" 2>"$scratch/err"
same "the static runtime" 2 $?
has "and the cure" "$scratch/err" 'nvcc -cudart shared'
printf '#include <cuda.h>\nint main(void) { int n; return cuInit(0) || cuDeviceGetCount(&n) || n != 1; }\n' >"$scratch/driver.c"
nvcc -o "$scratch/driver" "$scratch/driver.c" -lcuda >"$scratch/log" 2>&1
"$vgpu" "$scratch/driver" >"$scratch/out" 2>"$scratch/err"
same "beside the driver API it does no harm" 0 $?
same "and nothing is said of it" "" "$(grep static "$scratch/err")"
printf '#include <dlfcn.h>\nint main(void) { void *cuda = dlopen("libcuda.so.1", RTLD_NOW); return ((int (*)(unsigned))dlsym(cuda, "cuInit"))(0); }\n' >"$scratch/open.cu"
printf '#include <cuda_runtime_api.h>\nint main() { void *p; return cudaMalloc(&p, 4) == cudaSuccess ? 0 : 7; }\n' >"$scratch/calls.cu"
for program in open calls; do # host code alone: as C++, and as CUDA
    cp "$scratch/$program.cu" "$scratch/$program.cpp"
    nvcc -o "$scratch/$program-cpp" "$scratch/$program.cpp" >"$scratch/log" 2>&1
    nvcc -o "$scratch/$program-cu" "$scratch/$program.cu" >"$scratch/log" 2>&1
done
for kind in cpp cu; do
    "$vgpu" "$scratch/open-$kind" >"$scratch/out" 2>"$scratch/err"
    same "host code that opens the driver's library runs ($kind)" "0 " "$? $(grep static "$scratch/err")"
    "$vgpu" "$scratch/calls-$kind" >"$scratch/out" 2>"$scratch/err"
    same "host code that calls the static runtime gets an error ($kind)" 7 $?
    has "and is told why, and the cure" "$scratch/err" 'the program calls the static CUDA runtime'
    has "with the line to type" "$scratch/err" 'nvcc -cudart shared -arch=compute_75'
done
strip -o "$scratch/stripped" "$scratch/static"
"$vgpu" "$scratch/stripped" >"$scratch/out" 2>"$scratch/err"
same "without symbols the static runtime is refused, too" 2 $?
nvcc -cudart shared -gencode arch=compute_75,code=sm_75 -o "$scratch/machine" "$here/faults.cu" >"$scratch/log" 2>&1
"$vgpu" "$scratch/machine" >"$scratch/out" 2>"$scratch/err"
has "machine code only" "$scratch/err" 'machine code only.*build it with nvcc -arch=compute_75'
nvcc -cudart shared -arch=compute_90 -o "$scratch/newer" "$here/faults.cu" >"$scratch/log" 2>&1
"$vgpu" "$scratch/newer" bounds >"$scratch/out" 2>"$scratch/err"
has "a program for newer cards: what for, and both cures" "$scratch/err" \
    'the program is for compute capability 9.0 and above, and this device has 7.5: build it with nvcc -arch=compute_75, or .* --device=NAME'
same "it is said once" 1 "$(grep -c 'and this device has' "$scratch/err")"
build_cu bare "$here/faults.cu"
"$vgpu" "$scratch/bare" bounds >"$scratch/out" 2>"$scratch/err"
has "no -lineinfo" "$scratch/err" 'add -lineinfo'
has "no -g" "$scratch/err" 'add -g'
finish
