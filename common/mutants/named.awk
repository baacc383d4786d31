# named.awk EQUIVALENT LIST: which mutants of a list (`mutate`) an equivalent.yaml names.
#
# Each line of the list, with `named` or `other` and a tab before it. Then what is not true of the file: `wrong`, a tab, and a sentence.
# An entry is `- line:`, `mutant:`, `why:`, and before `why:` where the same change can be made in several places, `places: 1 3`: in which of them.
function text(s) { sub(/^[- ]*[a-z]+: /, "", s); if (substr(s, 1, 1) == "'") { s = substr(s, 2, length(s) - 2); gsub(/''/, "'", s) } return s }
function wrong(what) { print "wrong\t" what }
function end_entry() { if (line != "" && !why) wrong("has no reason: " line " -> " mutant) }
BEGIN { FS = "\t" }
FILENAME == ARGV[1] && /^#/ { next }
FILENAME == ARGV[1] && /^- line: / { end_entry(); line = text($0); why = 0; next }
FILENAME == ARGV[1] && /^  mutant: / { mutant = text($0); entries[line " -> " mutant] = ""; next }
FILENAME == ARGV[1] && /^  places: [0-9 ]+$/ { entries[line " -> " mutant] = " " text($0) " "; next }
FILENAME == ARGV[1] && /^  why: ..../ { why = 1; next }
FILENAME == ARGV[1] { wrong("is not read: " $0); next }
!is_listed { is_listed = 1; end_entry() }
{
    key = $7 " -> " $8
    found[key]++
    is_named = key in entries && (entries[key] == "" || index(entries[key], " " found[key] " "))
    named += is_named
    all++
    print (is_named ? "named" : "other") "\t" $0
}
END {
    for (key in entries) {
        n = split(entries[key], places, " ")
        if (!(key in found)) wrong("no such mutant: " key)
        else if (n == 0 && found[key] > 1) wrong("stands in " found[key] " places, and `places:` does not say in which of them: " key)
        for (i = 1; i <= n; i++) if (places[i] > found[key]) wrong("stands in " found[key] + 0 " places: " key)
    }
    if (named * 10 > all) wrong(named " of " all " are more than a tenth")
}
