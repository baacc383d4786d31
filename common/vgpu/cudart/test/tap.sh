# What the .t scripts of the runtime and of the command share: TAP and a scratch folder. Sourced; needs BUILD and KIT.

n=0
bad=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
vgpu=$(realpath "$BUILD/bin/vgpu")
runtime=$(realpath "$BUILD/lib/vgpu")
# A sanitizer build of the runtime needs the sanitizer's own first, and leaves a program's signals alone.
case $SAN in *address*) preload=$(gcc -print-file-name=libasan.so) ;; *) preload= ;; esac
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0:exitcode=99

# direct PROGRAM [arguments]: runs it with our runtime, without the command
direct() {
    env LD_LIBRARY_PATH="$runtime" ${preload:+LD_PRELOAD="$preload"} "$@"
}

# ok CONDITION-STATUS NAME [FILE to show when it failed]
ok() {
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        bad=1
        [ -z "$3" ] || head -n 40 "$3" | sed 's/^/# /'
    fi
}

# same NAME EXPECTED GOT: two texts
same() {
    [ "$2" = "$3" ]
    ok $? "$1"
    [ "$2" = "$3" ] || printf '# expected: %s\n# got:      %s\n' "$2" "$3"
}

# has NAME FILE PATTERN: a line of the file matches
has() {
    grep -Eq -- "$3" "$2"
    ok $? "$1" "$2"
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

finish() {
    echo "1..$n"
    exit $bad
}

command -v nvcc >/dev/null || skip_all "no nvcc"
: "${CUDA_HOME:=$("$KIT/common/mk/cuda-home.sh")}"
# build NAME [nvcc options]: NAME from NAME.cu, unless the options name other files
build_cu() {
    local name=$1
    shift
    nvcc -cudart shared -arch=compute_75 -o "$scratch/$name" "$@" >"$scratch/$name.log" 2>&1 || {
        ok 1 "nvcc builds $name" "$scratch/$name.log"
        return 1
    }
}
