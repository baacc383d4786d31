#!/bin/bash
# docs/check/translations.pl: content with a true translation, and told by each way in which one can fall behind.
set -u
. "$KIT/docs/test/kit.sh"
need perl
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
check() { perl "$KIT/docs/check/translations.pl" "$@"; }
says() { grep -qF -- "$@"; }
fresh() {
    printf '# Title\n\nUse `make`.\n\n![A box](box.svg)\n\n1. TODO 1: go.\n2. TODO 2: stop.\n\n| a | b |\n|---|---|\n| c | d |\n\n```text\nout\n```\n<!-- may fail: why -->\n' >a.md
    printf '# 标题\n\n用 `make`。\n\n![方框](box.svg)\n\n1. TODO 1：走。\n2. TODO 2：停。\n\n| 甲 | 乙 |\n|---|---|\n| 丙 | 丁 |\n\n```text\n```\n<!-- may fail: why -->\n' >b.md
    check --stamp a.md b.md
}
tells() { fresh; eval "$1"; ! check a.md b.md >out && says "$2" out; }

ok 'a stamped translation passes' eval 'fresh && check a.md b.md'
ok 'code blocks come from the original' eval "says out b.md"
ok 'a changed original makes it stale' tells "sed -i 's/go/run/' a.md" 'stale'
ok 'a changed output is told' tells "sed -i 's/^out/new/' a.md" 'code'
ok 'a heading of another level' tells "sed -i 's/^# 标/## 标/' b.md" 'heading'
ok 'a step that is missing' tells "sed -i '/^2/d' b.md" 'step'
ok 'a row that is missing' tells "sed -i '/丙/d' b.md" 'row'
ok 'another figure' tells "sed -i 's/box.svg/bag.svg/' b.md" 'figure'
ok 'a comment of a tool that is missing' tells "sed -i '/may fail/d' b.md" 'comment'
ok 'code of a sentence' tells "sed -i 's/\`make\`/make/' b.md" '`make`'
ok 'another TODO' tells "sed -i 's/TODO 2：/TODO 3：/' b.md" 'TODO 2'

fresh_lab() {
    printf 'title: One\ncases:\n  - name: c\n    message: These are four words.\nhints:\n  - todo: 1\n    tiers:\n      - Why is that so?\n' >lab.yaml
    printf 'title: 一\ncases:\n  - name: c\n    message: 四个字。\nhints:\n  - todo: 1\n    tiers:\n      - 为什么？\n' >zh.yaml
    check --stamp lab.yaml zh.yaml
}
tells_lab() { fresh_lab; eval "$1"; ! check lab.yaml zh.yaml >out && says "$2" out; }
ok 'a lab file' eval 'fresh_lab && check lab.yaml zh.yaml'
ok 'a changed message' tells_lab "sed -i 's/four/many/' lab.yaml" 'stale'
ok 'a case without its text' tells_lab "sed -i '/message/d' zh.yaml" 'no text for `c message`'
ok 'a text left in English' tells_lab "sed -i 's/四个字。/These are four words./' zh.yaml" 'still in English'
ok 'a hint too many' tells_lab "echo '      - 多' >>zh.yaml" 'is not in lab.yaml'
echo "1..$points"
