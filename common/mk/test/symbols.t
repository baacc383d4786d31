#!/bin/bash
# No global name is defined twice among the kit's objects: a linker that finds one in an archive would silently leave the other out.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$PWD}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# twice ARCHIVE...: names that two members define (weak ones aside)
twice() {
    nm -A --defined-only --extern-only "$@" 2>/dev/null | awk '$2 ~ /^[TDBRC]$/ { sub(/:[0-9a-f]*$/, "", $1); print $3, $1 }' | sort -u |
        awk '{ where[$1] = where[$1] " " $2; n[$1]++ } END { for (name in n) if (n[name] > 1) print name where[name] }' | sort
}

# liblab.a and liblab-own.a are common_lab.a in one object, for students.
twice $(ls "$BUILD"/lib/*.a | grep -v "/liblab\(-own\)\?\.a") | grep -v "^main " >"$work/twice"
names=$(nm --defined-only --extern-only "$BUILD"/lib/*.a 2>/dev/null | grep -c ' [TDBRC] ')
[ "$names" -gt 500 ] && [ ! -s "$work/twice" ] && echo "ok 1 - none of the $names global names of the kit's archives is defined twice" || { echo "not ok 1 - global names defined twice"; sed 's/^/# /' "$work/twice"; }

printf 'int kit_twice_a(void) { return 1; }\nint kit_twice_b;\n' >"$work/first.c"
printf 'int kit_twice_a(void) { return 2; }\nstatic int kit_twice_b;\nint kit_other(void) { return kit_twice_b; }\n' >"$work/second.c"
for name in first second; do gcc -c -o "$work/$name.o" "$work/$name.c" && ar rcs "$work/$name.a" "$work/$name.o"; done
if [ "$(twice "$work/first.a" "$work/second.a" | cut -d' ' -f1)" = kit_twice_a ]; then echo "ok 2 - one that is, is told"; else echo "not ok 2 - one that is, is told"; fi
echo 1..2
