#!/bin/bash
# make handouts KIT_LANG=zh-CN and the site, of a small kit in which lab 02 has a translation and lab 01 has none.
set -u
. "$KIT/docs/test/kit.sh"
need pandoc xelatex kpsewhich rsvg-convert pdftotext pdfinfo xmllint perl
kpsewhich ctexart.cls >/dev/null || { echo "1..0 # SKIP ctex is not installed"; exit 0; }
make_kit
lab=$kit/labs/02-beta
cat >"$lab/README.zh-CN.md" <<'END'
<!-- translation of README.md 0 -->
# 实验 02：乙

先做实验 01，再做*这个*；第一行
与第二行相连。`kernel<<<4, 5>>>`。

<!-- points -->

## 提示

<!-- hints -->
<details><summary>TODO 1：先想一想</summary>

是哪一个？

</details>
<!-- end -->

## 思考题

1. 为什么？
END
printf 'lang: zh-CN\ntitle: 字母乙\ngoal: 认识这个字母。\ncases:\n  - {name: first-case, message: 一个元素。}\n' >"$lab/lab.zh-CN.yaml"
out=$kit/build/handouts/02-beta.zh-CN
page() { cat "$out.html"; }
paper() { pdftotext -layout "$out.pdf" -; }
says() { grep -qF -- "$@"; }

ok 'Chinese handouts are made' make_in_kit handouts KIT_LANG=zh-CN
ok 'of the labs that are translated' eval "[ -f '$out.html' ] && [ ! -e '$kit/build/handouts/01-alpha.zh-CN.html' ] && [ ! -e '$kit/build/handouts/02-beta.html' ]"
ok 'HTML is well-formed, and says its language' eval "xmllint --noout '$out.html' && page | says 'lang=\"zh-CN\"'"
ok 'lines are joined without a blank' eval "page | says '第一行与第二行'"
ok 'a lab without a translation is linked in English' eval "page | tr '\n' ' ' | says '<a href=\"01-alpha.html\">实验 01</a>'"
ok 'points with the texts of the language' eval "page | says '一个元素。' && page | says '隐藏用例' && page | says 44.5"
ok 'PDF says title and language' eval "pdfinfo '$out.pdf' | says '实验 02：乙' && grep -aqE '/Lang *\(zh-CN\)' '$out.pdf'"
ok 'hints are behind everything else on paper' eval "paper | tr '\f' '\n' | grep -E '思考题|请最后再读' | tail -n 1 | says '请最后再读'"
ok 'a launch is no guillemet' eval "paper | says 'kernel<<<4, 5>>>'"
ok 'all signs are there' eval "pdffonts '$out.pdf' | says NotoSerifCJK"
cp "$out.pdf" "$kit/before.pdf"
rm "$out.pdf"
ok 'the same bytes again' eval "make_in_kit handouts KIT_LANG=zh-CN && cmp '$out.pdf' '$kit/before.pdf'"
site=$kit/build/site
ok 'the front page lists it' eval "make_in_kit build/site/index.html build/site/search-index.js build/site/02-beta.zh-CN.html && says '<a href=\"02-beta.zh-CN.html\">字母乙</a>' '$site/index.html'"
ok 'search knows it' says '"page":"02-beta.zh-CN"' "$site/search-index.js"
echo "1..$points"
