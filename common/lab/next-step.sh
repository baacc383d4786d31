#!/bin/bash
# Says what a student whose work is not right yet can do next: the first TODO that still stands in the files, or, when that is not the first step any more,
# what failed.
#
#   next-step.sh FILE...      in the lab's folder, with KIT_BUILD
. "$(dirname "$0")/say.sh"
todo=$(grep -ohE 'TODO [0-9]+' "$@" 2>/dev/null | head -n 1)
if [ -n "$todo" ]; then
    file=$(grep -lE "$todo([^0-9]|\$)" "$@" | head -n 1)
    line=$(grep -nE "$todo([^0-9]|\$)" "$file" | head -n 1 | cut -d: -f1)
    if [ "$todo" = "TODO 1" ]; then
        say 'next: %s in %s (line %s) is still open; README.md explains it, and `make hint` helps' "$todo" "$file" "$line"
    else
        say 'next: mend what fails above, or, if that belongs to a later step, go on: %s in %s (line %s) is still open; README.md explains it, and `make hint` helps' "$todo" "$file" "$line"
    fi
else
    say 'next: `make run CASE=name` runs one case alone; `make hint TODO=1` helps with a step'
fi
