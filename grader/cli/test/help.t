#!/bin/bash
# Help, completions and manual page come from the tables that parse: every command explains each option that it takes and no other,
# and takes what it explains.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
grade=$BUILD/bin/grade
tmp=$(mktemp -d /tmp/help-test-XXXXXX)
trap 'rm -rf "$tmp"' EXIT

same "grade and vgpu are of one version" "grade ${v:=$("$grade" --version | cut -d' ' -f2)} vgpu $v" "$("$grade" --version) $("$BUILD/bin/vgpu" --version)"
commands=$(sed -nE 's/^COMMAND\("([a-z]+)".*/\1/p' grader/cli/commands.def)
all=$(sed -nE 's/^ *(TEXT|WORD|COUNT|FLAG)\("([a-z-]+)".*/\2/p' grader/cli/options.def)
for shell in bash zsh fish; do "$grade" completion $shell >"$tmp/$shell"; done

# The options of a command, as its help explains them; every one with a meaning.
explained() { "$grade" "$1" --help | sed -nE 's/^  --([a-z-]+).*/\1/p' | sort; }
# The same as it takes them: others are said to be none of its.
taken() {
    local option said
    for option in $all; do
        said=$("$grade" "$1" "--$option" 2>&1 </dev/null)
        [[ $said == *"is no option of grade $1"* ]] || echo "$option"
    done | grep -v '^version$' | sort
}
bash_has() { sed -nE "s/^        $1\) all='(.*)' ;;/\1/p" "$tmp/bash" | tr ' ' '\n' | sed -n 's/^--//p' | sort; }
fish_has() { sed -nE "s/^complete -c grade -n '__fish_seen_subcommand_from $1' -l ([a-z-]+).*/\1/p" "$tmp/fish" | sort; }
zsh_has() { sed -n "/^    $1)\$/,/;;\$/p" "$tmp/zsh" | sed -nE "s/^ *'--([a-z-]+).*/\1/p" | sort; }
for command in $commands; do
    help=$(explained $command)
    check "$command: its help begins with its usage" bash -c "'$grade' $command --help | head -1 | grep -q '^grade $command'"
    same "$command: bash offers these" "$help" "$(bash_has $command)"
    same "$command: fish offers these" "$help" "$(fish_has $command)"
    same "$command: zsh offers these" "$help" "$(zsh_has $command)"
done
for command in status export adjust withdraw log submit policy; do # with a value missing, nothing is done
    same "$command: takes what its help explains" "$(explained $command)" "$(taken $command)"
done
same "help COMMAND is COMMAND --help" "$("$grade" run --help)" "$("$grade" help run)"

complete_word() { # WORDS...: what bash offers for the last one
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _grade && echo "${COMPREPLY[*]}"
}
check "bash reads its completion" source "$tmp/bash"
source "$tmp/bash"
same "bash: commands" "regrade report review" "$(complete_word grade re | xargs -n1 | sort | xargs)"
same "bash: options of a command" "--submissions --students --sanitize --sbatch --seed" "$(complete_word grade run --s)"
same "bash: words of an option" "canvas" "$(complete_word grade import --layout ca)"
mkdir "$tmp/class"
same "bash: folders" "$tmp/class" "$(complete_word grade run --out "$tmp/cl")"
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        check "$shell reads its completion" $shell -n "$tmp/$shell"
    else
        skip "$shell reads its completion" "no $shell"
    fi
done
check "no such shell" bash -c "! '$grade' completion tcsh"
tap_end
