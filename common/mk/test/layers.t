#!/bin/bash
# The tree itself: arrows point one way; no machine's paths; the check fires on a planted include.
cd "$KIT" || exit 2
if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    echo "1..0 # SKIP not a git checkout"
    exit 0
fi
n=0
point() { n=$((n + 1)); if "${@:2}" >/tmp/layers.$$ 2>&1; then echo "ok $n - $1"; else echo "not ok $n - $1"; sed 's/^/# /' /tmp/layers.$$; fi; }
planted() { # a copy with an include that points up must be refused
    local copy
    copy=$(mktemp -d)
    mkdir -p "$copy/common/mk" "$copy/common/base" "$copy/docs"
    cp common/mk/check-layers.sh "$copy/common/mk/"
    cp docs/architecture.md "$copy/docs/"
    echo '#include "common/vgpu/exec/exec.h"' >"$copy/common/base/wrong.c"
    (cd "$copy" && git init -q && git add -A && ! common/mk/check-layers.sh)
    local status=$?
    rm -rf "$copy"
    return $status
}
no_paths() { ! git grep -nIE '/(work|root|home/[a-z]+)/' -- . ':!docs/*.md' ':!common/mk/test/layers.t'; }
point "includes follow the layers" common/mk/check-layers.sh
point "an include that points up is refused" planted
point "no path of a machine in tracked files" no_paths
all_run() { # every script of tests that is tracked is one of those that make test runs
    comm -23 <(git ls-files '*.t' | sort) <(make -s --eval 'list-tests: ; @printf "%s\n" $(SCRIPT_TESTS)' list-tests | sed 's/@.*//' | sort -u) >/tmp/not-run.$$
    cat /tmp/not-run.$$ && [ ! -s /tmp/not-run.$$ ]
    local status=$?
    rm -f /tmp/not-run.$$
    return $status
}
point "make test runs every test script" all_run
# Every folder with a module.mk stands in the picture of the house, at its depth: a line begins with its path's last part.
in_the_house() {
    comm -23 <(git ls-files '*/module.mk' | grep -E '^(common|grader)/' | xargs -n 1 dirname | sort) <(
        sed -n '/^## The house/,/^## Layers/p' docs/architecture.md | awk '
            /^(common|grader)\/ / { top = $1; blank = substr("                ", 1, length(top)); $0 = blank substr($0, length(top) + 1); n = 0 }
            top && /^ +[a-z-]+\/ / {
                match($0, /^ */)
                while (n && column[n] >= RLENGTH) n--
                column[++n] = RLENGTH
                part[n] = $1
                path = top
                for (i = 1; i <= n; i++) path = path part[i]
                print substr(path, 1, length(path) - 1)
            }' | sort) >/tmp/absent.$$
    cat /tmp/absent.$$ && [ ! -s /tmp/absent.$$ ]
    local status=$?
    rm -f /tmp/absent.$$
    return $status
}
point "every module stands in the picture of the house" in_the_house
rm -f /tmp/layers.$$
echo "1..$n"
