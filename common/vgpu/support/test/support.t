#!/bin/bash
# docs/api-support.md and docs/ptx-support.md are what the tables give; a table that changed would show.
n=0
bad=0
check() { # STATUS NAME
    n=$((n + 1))
    [ "$1" -eq 0 ] && echo "ok $n - $2" && return
    echo "not ok $n - $2"
    bad=1
}
for page in api ptx; do
    "$BUILD/bin/vgpu-support" $page | diff -q - "$KIT/docs/$page-support.md" >/dev/null
    check $? "docs/$page-support.md is current (make support-pages)"
done
"$BUILD/bin/vgpu-support" api | sed 's/supported/refused/' | diff -q - "$KIT/docs/api-support.md" >/dev/null
[ $? -ne 0 ]
check $? "another table gives another page"
grep -q '^| `cudaGraphLaunch` | supported ' "$KIT/docs/api-support.md" && grep -q '^| `cudaGraphicsUnregisterResource` | refused ' "$KIT/docs/api-support.md" &&
    grep -q '^| `fma` | .*f32.*\.ftz' "$KIT/docs/ptx-support.md"
check $? "the pages hold what the tables say"
"$BUILD/bin/vgpu-support" nothing 2>/dev/null
[ $? -eq 2 ]
check $? "other arguments are refused"
echo "1..$n"
exit $bad
