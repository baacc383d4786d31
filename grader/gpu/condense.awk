# From test-gpu's sanitizer.tsv to a line a submission: lab, submission, what a plain run showed, then memcheck, racecheck, initcheck
# and synccheck: the number of reports, or `-` when the tool came to no end.
BEGIN { FS = OFS = "\t"; n = split("plain memcheck racecheck initcheck synccheck", tools, " ") }
NF < 4 || !($1 ~ /^[0-9][0-9]-/) { next }
{
    key = $1 OFS $2
    if (!(key in seen)) { seen[key] = 1; keys[++n_keys] = key }
    value = $3 == "plain" ? ($4 == 0 ? "pass" : $5) : $4 < 0 ? "-" : $4
    sub(/: .*/, "", value)
    sub(/^status 139$/, "crash", value)
    sub(/^status 124$/, "timeout", value)
    sub(/^status [0-9]*$/, "error", value)
    of[key, $3] = value
}
END {
    for (k = 1; k <= n_keys; k++) {
        line = keys[k]
        for (t = 1; t <= n; t++) line = line OFS (((keys[k], tools[t]) in of) ? of[keys[k], tools[t]] : "-")
        print line
    }
}
