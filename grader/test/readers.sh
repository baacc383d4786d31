# Readers of the formats that `grade export` writes, as strict as the systems that take them: `reads_FORMAT FILE` is true when
# the file is one. Source it.

# Gradescope's results.json: a top score, or one in each test; the words that it knows for status, visibility and formats.
reads_gradescope() {
    jq -e '
        def words($list): . as $x | $list | index([$x]) != null;
        def format: words(["text", "html", "simple_format", "md", "ansi"]);
        def visible: words(["hidden", "after_due_date", "after_published", "visible"]);
        ((.score | type) == "number" or all(.tests[]; (.score | type) == "number")) and
        (.output == null or (.output | type) == "string") and
        (.output_format // "text" | format) and (.test_output_format // "text" | format) and
        (.visibility // "visible" | visible) and (.tests | type) == "array" and
        all(.tests[]; (.score | type) == "number" and (.max_score | type) == "number" and (.name | type) == "string" and
            (.status | words(["passed", "failed"])) and (.output | type) == "string" and
            (.output_format // "text" | format) and (.visibility // "visible" | visible)) and
        ([keys[]] - ["score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
            "stdout_visibility", "extra_data", "tests", "leaderboard"] == [])' "$1" >/dev/null 2>&1
}

# PrairieLearn's results.json: a score from 0 to 1 unless it is not gradable; at most 1 MB.
reads_prairielearn() {
    [ "$(stat -c %s "$1")" -le 1000000 ] && jq -e '
        (if .gradable == false then true else (.score | type == "number" and . >= 0 and . <= 1) end) and
        ((.gradable // true) | type) == "boolean" and all(.message, .output; . == null or type == "string") and
        all(.tests[]; (.name | type) == "string" and (.points | type) == "number" and (.max_points | type) == "number" and
            .points <= .max_points and (.output | type) == "string")' "$1" >/dev/null 2>&1
}

# Autolab reads the last line, and the one before it where it is there.
reads_autolab() {
    tail -n 1 "$1" | jq -e '(.scores | type) == "object" and (.scores | length) > 0 and all(.scores[]; type == "number") and
        (.scoreboard | type) == "array"' >/dev/null 2>&1 &&
        tail -n 2 "$1" | head -n 1 | jq -e '. as $all | ._presentation == "semantic" and (.stages | length) > 0 and
            all(.stages[]; $all[.] | type == "object" and all(.[]; (.passed | type) == "boolean"))' >/dev/null 2>&1
}

# JUnit XML as the xunit plugin's schema and GitLab's parser take it.
reads_junit() {
    xmllint --noout --relaxng <(cat <<'END'
<grammar xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
  <start><element name="testsuites"><oneOrMore><element name="testsuite">
    <attribute name="name"/>
    <attribute name="tests"><data type="nonNegativeInteger"/></attribute>
    <attribute name="failures"><data type="nonNegativeInteger"/></attribute>
    <attribute name="errors"><data type="nonNegativeInteger"/></attribute>
    <optional><attribute name="skipped"><data type="nonNegativeInteger"/></attribute></optional>
    <optional><element name="properties"><oneOrMore><element name="property"><attribute name="name"/><attribute name="value"/></element></oneOrMore></element></optional>
    <oneOrMore><element name="testcase">
      <attribute name="name"/>
      <optional><attribute name="classname"/></optional>
      <optional><choice>
        <element name="skipped"><optional><attribute name="message"/></optional><text/></element>
        <element name="failure"><attribute name="type"/><attribute name="message"/><text/></element>
        <element name="error"><attribute name="type"/><attribute name="message"/><text/></element>
      </choice></optional>
    </element></oneOrMore>
  </element></oneOrMore></element></start>
</grammar>
END
    ) "$1" >/dev/null 2>&1
}

# Canvas's importer: its five columns, points in the second row, a number, EX or nothing in each cell, all rows of one width.
# (No cell of ours here holds a comma.)
reads_canvas() {
    tr -d '\r' <"$1" | awk -F, '
        NR == 1 { width = NF; bad = !/^Student,ID,SIS User ID,SIS Login ID,Section,./ }
        NR == 2 { bad = bad || $1 != "Points Possible" }
        NF != width { bad = 1 }
        NR > 1 { for (i = 6; i <= NF; i++) if ($i !~ /^([0-9]+(\.[0-9]+)?|EX)?$/) bad = 1 }
        NR > 2 && $2 $3 $4 == "" { bad = 1 }
        END { exit bad || NR < 3 }'
}

# All results, whole.
reads_json() {
    jq -e '.schema == 1 and (.results | length) > 0 and all(.results[]; .schema == 1 and (.student | type) == "string" and
        (.score | type) == "number" and .score <= .max_score and (.cases | type) == "array")' "$1" >/dev/null 2>&1
}

# A line a result, all of one width, points within bounds. (No cell of ours here holds a comma.)
reads_csv() {
    tr -d '\r' <"$1" | awk -F, 'NR == 1 { width = NF; bad = $4 != "score" || $5 != "max_score" } NF != width { bad = 1 }
        NR > 1 && ($4 !~ /^[0-9.]+$/ || $4 + 0 > $5 + 0) { bad = 1 } END { exit bad || NR < 2 }'
}
