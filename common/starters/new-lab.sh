#!/bin/bash
# Makes the two folders of a new lab from common/starters/template: a small lab that works, to be changed into yours.
#
#   new-lab.sh NAME [KITDIR]      NAME as 21-foo-bar; KITDIR is where labs/ and solutions/ are (default: this kit)
set -euo pipefail
template=$(realpath "$(dirname "$0")/template")
name=${1:-}
kit=${2:-$(realpath "$template/../../..")}

if ! [[ $name =~ ^[0-9][0-9]-[a-z][a-z0-9]*(-[a-z0-9]+)*$ ]]; then
    echo "usage: make new-lab NAME=21-foo-bar   (two digits, then words of small letters and digits, joined by dashes)" >&2
    exit 2
fi
for folder in "$kit/labs/$name" "$kit/solutions/$name"; do
    if [ -e "$folder" ]; then echo "$folder is there already" >&2; exit 2; fi
done

for folder in "$kit/labs/${name%%-*}"-* "$kit/solutions/${name%%-*}"-*; do
    [ -e "$folder" ] || continue
    echo "the number ${name%%-*} is taken: $folder; labs are told apart by it" >&2
    exit 2
done

stem=${name#*-}
stem=${stem//-/_}
[[ $stem =~ ^[a-z] ]] || { echo "the name after the number must begin with a letter" >&2; exit 2; }

# FROM TO: copies a template file, with the lab's name and stem in its text and its path.
copy() {
    mkdir -p "$(dirname "$2")"
    sed -e "s/@NAME@/$name/g" -e "s/@STEM@/$stem/g" -e "s/@GUARD@/${stem^^}_H/g" "$1" >"$2"
}
while IFS= read -r file; do
    path=${file#"$template/"}
    path=${path//STEM/$stem}
    copy "$file" "$kit/${path%%/*}/$name/${path#*/}"
done < <(find "$template" -type f | LC_ALL=C sort)

echo "made $kit/labs/$name and $kit/solutions/$name"
echo "next: change them, then \`make starters\` and \`make check-starters LABS=$name\`"
