#!/bin/bash
# Arrows point one way: every #include "..." of a module must name itself or a module that docs/architecture.md allows it.
#
# The list stands in docs/architecture.md between "<!-- layers -->" and "<!-- end layers -->", a line a module:
#   common/vgpu/ir: common/base common/vgpu/ptx
# Files in test/ and bench/ folders may include anything of the kit.
set -euo pipefail
cd "$(dirname "$0")/../.."

git grep -nE '^ *# *include +"(common|grader)/' -- 'common/*.c' 'common/*.h' 'grader/*.c' 'grader/*.h' |
    grep -vE '^[^:]*/(test|bench|template)/' |
    awk -F: '
        function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
        FNR == NR {
            if (/<!-- layers -->/) listing = 1
            if (/<!-- end layers -->/) listing = 0
            if (listing && /^[a-z\/-]+:/) { known[$1] = 1; allowed[$1] = " " $1 $2 " " }
            next
        }
        {
            module = folder($1)
            include = $3
            sub(/.*include +"/, "", include)
            sub(/".*/, "", include)
            if (!(module in known)) {
                print $1 ": its folder " module " is not in the list of layers of docs/architecture.md"
                bad = 1
            } else if (index(allowed[module], " " folder(include) " ") == 0) {
                print $1 ":" $2 ": " module " must not include " include
                bad = 1
            }
        }
        END { exit bad }' docs/architecture.md -
