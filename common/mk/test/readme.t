#!/bin/bash
# What README.md shows is what the kit prints.
cd "$KIT" || exit 2
. grader/test/tap.sh
BUILD=$(realpath "${BUILD:-build}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The lines of the README's code blocks that hold a pattern.
block() {
    awk -v pattern="$1" '
        /^```/ { if (inside && found) printf "%s", text; inside = !inside; text = ""; found = 0; next }
        inside { text = text $0 "\n"; if ($0 ~ pattern) found = 1 }' README.md
}
cp -r labs/02-vector-add "$tmp/"
"$BUILD/bin/labtool" broken 02-vector-add no-guard >"$tmp/02-vector-add/vector_add.cu"
"$BUILD/bin/grade" check "$tmp/02-vector-add" >"$tmp/out" 2>&1
shown=$(block '^== one-element')
if command -v nvcc >/dev/null; then same "the student's transcript" "$shown" "$(head -n "$(wc -l <<<"$shown")" "$tmp/out")"
else skip "the student's transcript" "nvcc is not here, and clang names other columns"; fi
same "the instructor's table" "$(block '^s001' | grep -v '^\.\.\.')" "$(head -n 8 grader/example-class/expected-table.txt)"
for target in setup setup-all demo test; do
    check "make $target is there, in the README and in make help" bash -c \
        "grep -qE 'make [a-z-]*.*\\b$target\\b' README.md && make -s help | grep -qE '^ *make $target +'"
done
check "every link leads to a file" bash -c \
    'grep -oE "\]\([^)#:]+" README.md | cut -c3- | while read -r f; do [ -e "$f" ] || { echo "$f"; exit 1; }; done'
tap_end
