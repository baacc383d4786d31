# For scripts beside this (`. common/mutants/mutate.sh`): how `mutate` reads a lab's source.
[ -x "$BUILD/bin/mutate" ] || { echo "$(basename "$0" .sh): build/bin/mutate is not there: install libclang-dev (make setup-all), and build again" >&2; exit 2; }
cuda=$(common/mk/cuda-home.sh)

# LAB SOURCE [OPTION...]: what `mutate` says of it.
mutate() {
    local lab=$1 source=$2
    shift 2
    "$BUILD/bin/mutate" "$@" "$source" -x cuda --cuda-host-only -nocudainc -nocudalib -std=c++17 -include common/mutants/cuda.h \
        -I "labs/$lab" -I common/lab -I "$cuda/include"
}
