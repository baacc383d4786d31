(function () {
'use strict';
var table = document.getElementById('class-table');
if (!table) return;
var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
function value(row, i) {
  var cell = row.cells[i], v = cell.getAttribute('data-v');
  return v === null ? cell.textContent.trim() : v === '' ? -1 : Number(v);
}
function order(a, b) {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', {numeric: true});
}
heads.forEach(function (head, i) {
  var button = document.createElement('button');
  button.type = 'button';
  while (head.firstChild) button.appendChild(head.firstChild);
  head.appendChild(button);
  button.addEventListener('click', function () {
    var up = head.getAttribute('aria-sort') !== 'ascending';
    heads.forEach(function (h) { h.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    rows.map(function (row, k) { return {row: row, key: value(row, i), k: k}; })
      .sort(function (a, b) { return (up ? 1 : -1) * order(a.key, b.key) || a.k - b.k; })
      .forEach(function (r) { body.appendChild(r.row); });
  });
});
var words = [];
rows.forEach(function (row) {
  Array.prototype.forEach.call(row.querySelectorAll('.badge'), function (b) {
    if (words.indexOf(b.textContent) < 0) words.push(b.textContent);
  });
});
words.sort();
function labelled(text, control) {
  var label = document.createElement('label');
  label.textContent = text + ' ';
  label.appendChild(control);
  return label;
}
var find = document.createElement('input'), verdict = document.createElement('select'), count = document.createElement('span');
find.type = 'search';
find.id = 'find';
verdict.id = 'verdict';
count.id = 'count';
count.setAttribute('role', 'status');
[''].concat(words).forEach(function (w) {
  var option = document.createElement('option');
  option.value = w;
  option.textContent = w || 'any';
  verdict.appendChild(option);
});
function filter() {
  var text = find.value.trim().toLowerCase(), shown = 0;
  rows.forEach(function (row) {
    var named = row.cells[0].textContent.toLowerCase().indexOf(text) >= 0;
    var has = !verdict.value || Array.prototype.some.call(row.querySelectorAll('.badge'), function (b) {
      return b.textContent === verdict.value;
    });
    row.hidden = !(named && has);
    shown += row.hidden ? 0 : 1;
  });
  count.textContent = shown + ' of ' + rows.length + ' students';
}
find.addEventListener('input', filter);
verdict.addEventListener('change', filter);
var tools = document.createElement('p');
tools.className = 'tools';
tools.appendChild(labelled('Student', find));
tools.appendChild(labelled('Verdict', verdict));
tools.appendChild(count);
table.parentNode.parentNode.insertBefore(tools, table.parentNode);
filter();
})();
