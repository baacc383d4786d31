#!/bin/bash
# Runs the same kernels on this machine's card, each family in a process of its own, and tells where they differ from the virtual
# GPU's answers: a summary on standard output, all of it in diff.txt, answers in card.txt, the first differing kernels in full in details.txt.
cd "$(dirname "$0")" || exit 2
seeds=${SEEDS:-100}
./differential --families | timeout 100 xargs -P 8 -I{} sh -c "./differential --seeds=$seeds --family={} >answers-{}.txt 2>>log.txt"
for f in $(./differential --families); do cat "answers-$f.txt"; done >card.txt
./differential --compare=virtual.txt,card.txt --limit=100000 >diff.txt
awk '{print $1, $2}' diff.txt | sed -n 's/^\([a-z0-9]*\) \([0-9]*\):$/\1 \2/p' | awk 'n[$1]++ < 4' | while read -r family seed; do
    timeout 5 ./differential --family="$family" --seed="$seed"
done >details.txt 2>/dev/null
rm -f answers-*.txt
head -n 1 log.txt
head -n 170 diff.txt
tail -n 25 diff.txt
