#!/bin/bash
# Grading with clang, the toolkit hidden from this process and from every sandbox: the example class gets the verdicts that nvcc's programs
# get, and solutions of three labs all points. One compiler for a class: what was graded with one is never graded again with the other.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
: "${KIT:=$PWD}"
BUILD=$(realpath "${BUILD:-build}")
grade=$BUILD/bin/grade
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
"$BUILD/bin/labcc" --version >/dev/null 2>&1 || skip_all "no clang is here"
home=$("$KIT/common/mk/cuda-home.sh")

# Once more in a view of the file system where every folder of a toolkit is empty.
if [ -z "$TOOLKIT_HIDDEN" ]; then
    hidden=()
    for folder in "$home" /usr/local/cuda* /opt/cuda*; do [ ! -d "$folder" ] || hidden+=("$(realpath "$folder")"); done
    export TOOLKIT_HIDDEN=${home:-none}
    [ ${#hidden[@]} -gt 0 ] || exec "$BASH" grader/test/clang.t
    if [ "$(id -u)" = 0 ]; then
        exec unshare -m "$BASH" -c 'for f; do mount -t tmpfs none "$f" || exit 2; done; exec "$BASH" grader/test/clang.t' - "${hidden[@]}"
    fi
    exec bwrap --dev-bind / / "${hidden[@]/#/--tmpfs=}" "$BASH" grader/test/clang.t
fi
unset NVCC
export CUDA_HOME=/none PATH=/usr/bin:/bin
tmp=$(mktemp -d /tmp/clang-test-XXXXXX)
chmod 711 "$tmp"
trap 'rm -rf "$tmp"' EXIT
check "no toolkit is to be seen" test ! -e "$TOOLKIT_HIDDEN/include/cuda_runtime.h"

status_of() {
    "$@" >"$tmp/stdout" 2>"$tmp/stderr"
    echo $?
}
fails() { # NAME TEXT COMMAND...
    same "$1: status" 2 "$(status_of "${@:3}")"
    check "$1: says '$2'" grep -qF -- "$2" "$tmp/stderr"
}
run() { # OUT ARGUMENTS...
    "$grade" run --out "$tmp/$1" --seed 1 --jobs 2 "${@:2}" >"$tmp/stdout" 2>"$tmp/stderr"
}
compilers() { jq -r '.compiler.name' "$tmp/$1"/results/*/*/result.json | sort -u; }

# What is here, and what is not.
same "doctor without a toolkit" 0 "$(status_of "$grade" doctor)"
check "doctor: no nvcc" grep -q '^nvcc  *not found' "$tmp/stdout"
check "doctor: clang and its version" grep -A1 -E '^clang  */.*clang' "$tmp/stdout"
check "doctor: what labs are compiled with" grep -q '^compiles labs  *clang ' "$tmp/stdout"
fails "nvcc by name" "nvcc was not found" "$grade" run --submissions grader/example-class --out "$tmp/x" --compiler nvcc
fails "no such compiler" "--compiler must be" "$grade" run --submissions grader/example-class --out "$tmp/x" --compiler gcc
fails "clang for a card" "--compiler nvcc is for --device gpu" "$grade" check labs/02-vector-add --device gpu --compiler clang

# Some of the example class.
students=s002,s003,s004,s006,s012
precompiled=$(ls "$BUILD/precompiled")
run demo --submissions grader/example-class --labs 01-indexing,02-vector-add --students $students
same "the example class: status" 1 $?
same "the example class: its table" "$(grep -E "^(${students//,/|}) " grader/example-class/expected-table.txt | tr -s ' ')" "$(grep '^s0' "$tmp/stdout" | tr -s ' ')"
same "the example class: headers are precompiled as make does" "$precompiled" "$(ls "$BUILD/precompiled")"
same "the example class: its compiler" clang "$(compilers demo)"
check "its version is labcc's" grep -qF " $(jq -r .compiler.version "$tmp/demo/results/s002/01-indexing/result.json")" <("$BUILD/bin/labcc" --version)
check "the page names it" grep -qE '<dt>Compiler</dt><dd>clang [0-9.]+</dd>' "$tmp/demo/report/s002/01-indexing.html"
check "a wrong source is told with its line" jq -e '.build.log | test("^vector_add.cu:[0-9]+:[0-9]+: error: ")' "$tmp/demo/results/s003/02-vector-add/result.json"
check "and without clang's count of errors" jq -e '.build.log | contains("generated when compiling") | not' "$tmp/demo/results/s003/02-vector-add/result.json"
fails "another compiler for the same class" "was graded with clang" "$grade" regrade --submissions grader/example-class --out "$tmp/demo" \
    --labs 01-indexing --students s004 --compiler nvcc
same "regrade with the same one" 1 "$(status_of "$grade" regrade --submissions grader/example-class --out "$tmp/demo" --labs 01-indexing --students s004)"
check "regrade: nothing changes" grep -q '^0 of 1 results change' "$tmp/stdout"

# A plan of a kit that knew nvcc alone.
jq 'del(.compiler)' "$tmp/demo/plan.json" >"$tmp/plan" && cp "$tmp/plan" "$tmp/demo/plan.json"
fails "a class of an earlier kit" "was graded with nvcc" "$grade" run --submissions grader/example-class --out "$tmp/demo" --students s004 --compiler clang --again

# Solutions of three labs, in their public cases.
for lab in 03-shared-memory 06-reduction 12-warp-primitives; do
    mkdir -p "$tmp/class/s001/$lab"
    for file in $("$BUILD/bin/labtool" files "labs/$lab"); do cp "solutions/$lab/$file" "$tmp/class/s001/$lab/"; done
done
run labs --submissions "$tmp/class" --public=2
same "solutions of three labs: status" 0 $?
same "solutions of three labs: verdicts" "pass pass pass" "$(jq -r .verdict "$tmp"/labs/results/*/*/result.json | xargs)"

# A student's check.
cp -r labs/01-indexing "$tmp/" && cp solutions/01-indexing/indexing.cu "$tmp/01-indexing/"
make -s -C "$tmp/01-indexing" KIT="$KIT" KIT_BUILD="$BUILD" check COMPILER=clang CASE="$("$BUILD/bin/labtool" cases 01-indexing | head -n 1)" >"$tmp/stdout" 2>&1
same "make check: status" 0 $?
check "make check: what it says" grep -qE '^Score: ([0-9]+)/\1' "$tmp/stdout"
tap_end
