/* The index's script: it sorts and filters the class's table. The page is whole without it; it adds the
 * buttons that it serves.
 *
 * The pages' policy lets this text run and no other, by its hash: a script that came into a page through a
 * submission would not.
 */
#include "grader/report/report_internal.h"

#include "grader/core/sha256.h"

#include <string.h>

const char REPORT_JS[] =
    "(function () {\n"
    "'use strict';\n"
    "var table = document.getElementById('class-table');\n"
    "if (!table) return;\n"
    "var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);\n"
    "var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);\n"
    "function value(row, i) {\n"
    "  var cell = row.cells[i], v = cell.getAttribute('data-v');\n"
    "  return v === null ? cell.textContent.trim() : v === '' ? -1 : Number(v);\n"
    "}\n"
    "function order(a, b) {\n"
    "  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), "
    "'en', {numeric: true});\n"
    "}\n"
    "heads.forEach(function (head, i) {\n"
    "  var button = document.createElement('button');\n"
    "  button.type = 'button';\n"
    "  while (head.firstChild) button.appendChild(head.firstChild);\n"
    "  head.appendChild(button);\n"
    "  button.addEventListener('click', function () {\n"
    "    var up = head.getAttribute('aria-sort') !== 'ascending';\n"
    "    heads.forEach(function (h) { h.removeAttribute('aria-sort'); });\n"
    "    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');\n"
    "    rows.map(function (row, k) { return {row: row, key: value(row, i), k: k}; })\n"
    "      .sort(function (a, b) { return (up ? 1 : -1) * order(a.key, b.key) || a.k - b.k; })\n"
    "      .forEach(function (r) { body.appendChild(r.row); });\n"
    "  });\n"
    "});\n"
    "var words = [];\n"
    "rows.forEach(function (row) {\n"
    "  Array.prototype.forEach.call(row.querySelectorAll('.badge'), function (b) {\n"
    "    if (words.indexOf(b.textContent) < 0) words.push(b.textContent);\n"
    "  });\n"
    "});\n"
    "words.sort();\n"
    "function labelled(text, control) {\n"
    "  var label = document.createElement('label');\n"
    "  label.textContent = text + ' ';\n"
    "  label.appendChild(control);\n"
    "  return label;\n"
    "}\n"
    "var find = document.createElement('input'), verdict = document.createElement('select'), count = "
    "document.createElement('span');\n"
    "find.type = 'search';\n"
    "find.id = 'find';\n"
    "verdict.id = 'verdict';\n"
    "count.id = 'count';\n"
    "count.setAttribute('role', 'status');\n"
    "[''].concat(words).forEach(function (w) {\n"
    "  var option = document.createElement('option');\n"
    "  option.value = w;\n"
    "  option.textContent = w || 'any';\n"
    "  verdict.appendChild(option);\n"
    "});\n"
    "function filter() {\n"
    "  var text = find.value.trim().toLowerCase(), shown = 0;\n"
    "  rows.forEach(function (row) {\n"
    "    var named = row.cells[0].textContent.toLowerCase().indexOf(text) >= 0;\n"
    "    var has = !verdict.value || Array.prototype.some.call(row.querySelectorAll('.badge'), function (b) "
    "{\n"
    "      return b.textContent === verdict.value;\n"
    "    });\n"
    "    row.hidden = !(named && has);\n"
    "    shown += row.hidden ? 0 : 1;\n"
    "  });\n"
    "  count.textContent = shown + ' of ' + rows.length + ' students';\n"
    "}\n"
    "find.addEventListener('input', filter);\n"
    "verdict.addEventListener('change', filter);\n"
    "var tools = document.createElement('p');\n"
    "tools.className = 'tools';\n"
    "tools.appendChild(labelled('Student', find));\n"
    "tools.appendChild(labelled('Verdict', verdict));\n"
    "tools.appendChild(count);\n"
    "table.parentNode.parentNode.insertBefore(tools, table.parentNode);\n"
    "filter();\n"
    "})();\n";

static void put_base64(StrBuf *out, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned word = (unsigned)bytes[i] << 16 | (i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0) |
                        (i + 2 < n ? bytes[i + 2] : 0);
        strbuf_printf(out, "%c%c%c%c", digits[word >> 18], digits[word >> 12 & 63],
                      i + 1 < n ? digits[word >> 6 & 63] : '=', i + 2 < n ? digits[word & 63] : '=');
    }
}

void html_script_source(StrBuf *out)
{
    Sha256 s;
    unsigned char digest[SHA256_BYTES];
    sha256_start(&s);
    sha256_add(&s, REPORT_JS, strlen(REPORT_JS));
    sha256_end(&s, digest);
    strbuf_puts(out, "; script-src 'sha256-");
    put_base64(out, digest, sizeof digest);
    strbuf_puts(out, "'");
}
