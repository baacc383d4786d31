#!/bin/bash
# Arrows point one way: every #include "..." of a module must name itself or a module that docs/architecture.md allows it.
#
# The list stands in docs/architecture.md between "<!-- layers -->" and "<!-- end layers -->", a line a module:
#   common/vgpu/ir: common/base common/vgpu/ptx
# Files in test/ folders may include anything of the kit.
set -euo pipefail
cd "$(dirname "$0")/../.."

layers=$(sed -n '/<!-- layers -->/,/<!-- end layers -->/p' docs/architecture.md | grep -E '^[a-z/-]+:' || true)
[ -n "$layers" ] || { echo "check-layers: docs/architecture.md has no list of layers" >&2; exit 2; }

bad=0
while IFS= read -r file; do
    case $file in */test/* | */bench/* | */template/* | labs/* | solutions/*) continue ;; esac
    module=$(dirname "$file")
    allowed=$(printf '%s\n' "$layers" | sed -n "s|^$module:||p")
    if ! printf '%s\n' "$layers" | grep -q "^$module:"; then
        echo "$file: its folder $module is not in the list of layers of docs/architecture.md"
        bad=1
        continue
    fi
    while IFS=: read -r line include; do
        target=$(dirname "$include")
        case " $module $allowed " in
        *" $target "*) ;;
        *) echo "$file:$line: $module must not include $include"; bad=1 ;;
        esac
    done < <(grep -nE '^ *# *include +"(common|grader)/' "$file" | sed -E 's/^([0-9]+):.*"([^"]+)".*/\1:\2/')
done < <(git ls-files 'common/*.c' 'common/*.h' 'grader/*.c' 'grader/*.h')
exit $bad
