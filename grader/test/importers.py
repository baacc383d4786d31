#!/usr/bin/env python3
"""What other systems make of a file that `grade` wrote, by the rules of their importers.

    importers.py canvas           COURSE FILE     a gradebook
    importers.py moodle           COURSE FILE     an offline grading worksheet
    importers.py canvas-zip       COURSE FILE     submissions uploaded again, as feedback
    importers.py moodle-zip       COURSE FILE     feedback files in a zip
    importers.py gradescope|prairielearn|autolab|junit  FILE...

COURSE is JSON: {"students": [{"id", "name", "sortable", "sis", "login", "participant", "attachments": []}],
"assignments": [{"id", "title", "points"}]}. Prints a line a student, `NAME-IN-THE-COURSE GRADE` or `... FILE`, then who was
not found; exit status 1 when a row or a file is nobody's, or the importer would refuse or drop something.
"""
import csv, io, json, os, re, sys, zipfile
import xml.etree.ElementTree as xml

problems = []


def problem(text):
    problems.append(text)


def rows_of(path):
    return open(path, encoding='utf-8', newline='').read()


# Canvas: the header names its first columns by position; an assignment is known by the number in its heading, else by its title;
# a student by ID, SIS User ID, SIS Login ID, then name. The delimiter is a guess from the first three lines.
def canvas(course, path):
    text = rows_of(path)
    lines = text.splitlines()[:3]
    widths = {}
    for separator in ';,':
        counts = [len(next(csv.reader([line], delimiter=separator), [])) for line in lines]
        widths[separator] = counts[0] if len(set(counts)) == 1 else 0
    delimiter = ';' if widths[';'] > widths[','] else ','
    rows = [r for r in csv.reader(io.StringIO(text), delimiter=delimiter) if any(c.strip(' ,;') for c in r)]
    head = rows[0]
    split = head[0].lstrip('\ufeff') == 'LastName' and head[1] == 'FirstName'
    ids = 2 if split else 1
    if 'Student' not in head[0] and not split or 'ID' not in head[ids]:
        problem('no header of a gradebook')
    n = ids + 2
    sis = login = None
    if re.search(r'SIS\s+Login\s+ID', head[ids + 1]):
        login, n = ids + 1, n + 1
    elif re.search(r'SIS\s+User\s+ID', head[ids + 1]) and re.search(r'SIS\s+Login\s+ID', head[ids + 2]):
        sis, login, n = ids + 1, ids + 2, n + 2
        n += bool(re.search(r'Integration\s+ID', head[ids + 3]))
        n += bool(re.search(r'Root\s+Account', head[n - 1]))
    if 'Section' not in head[n - 1]:
        problem('no Section where the columns of a student end')
    dropped = re.compile('(Current|Final|Override) (Score|Points|Grade|Status)')
    found = []
    for heading in head[n:]:
        if dropped.search(heading):
            continue
        match = re.search(r'^(.*) \((\d+)\)$', heading)
        known = [a for a in course['assignments'] if match and a['id'] == int(match[2])] or [a for a in course['assignments'] if a['title'] == heading]
        found.append((known[0]['title'] if known else 'NEW ' + heading, head.index(heading), known[0] if known else None))
    seen = set()
    for row in rows[1:]:
        if 'Points Possible' in row[0]:
            for title, at, known in found:
                cell = row[at] if at < len(row) else ''
                if known and cell and 'read only' not in cell and float(cell.replace(',', '.')) != known['points']:
                    problem(f'{title}: points possible would become {cell}')
            continue
        if all(re.fullmatch(r'(?i)\s*(Muted|Manual Posting.*)?\s*', c) for c in row):
            continue
        student = next((s for s in course['students'] if row[ids] and str(s['id']) == row[ids]), None)
        student = student or next((s for s in course['students'] if sis and row[sis] and s['sis'] == row[sis]), None)
        student = student or next((s for s in course['students'] if login and row[login] and s['login'] == row[login]), None)
        student = student or next((s for s in course['students'] if row[0] in (s['name'], s['sortable'])), None)
        if not student:
            problem(f'a row is nobody\'s: {row[0]}')
            continue
        if student['name'] in seen and student.get('unique', True):
            problem(f'two rows of {student["name"]}')
        seen.add(student['name'])
        for title, at, known in found:
            grade = row[at].strip() if at < len(row) else ''
            if grade and not re.fullmatch(r'[0-9.,]+|EX|ex', grade):
                problem(f'{student["name"]}: no grade: {grade}')
            print(student['key'], title, grade or '-')
    for s in course['students']:
        if s['name'] not in seen:
            problem(f'no row for {s["name"]}')


# Moodle: the columns Identifier, Grade and Last modified (grade) must be there; the participant's number follows "Participant "; a
# grade that is empty, negative or beyond the maximum is skipped.
def moodle(course, path):
    reader = list(csv.reader(io.StringIO(rows_of(path).lstrip('\ufeff'))))
    head = reader[0]
    for needed in ('Identifier', 'Grade', 'Last modified (grade)'):
        if needed not in head:
            return problem(f'no column {needed}')
    at = {name: head.index(name) for name in head}
    seen = set()
    for row in reader[1:]:
        if len(row) != len(head):
            problem(f'a row of {len(row)} cells, not {len(head)}')
        number = row[at['Identifier']][len('Participant '):]
        student = next((s for s in course['students'] if s['participant'] == number), None)
        if not student:
            problem(f'a row is nobody\'s: {row[0]}')
            continue
        seen.add(student['key'])
        grade = row[at['Grade']]
        maximum = course['assignments'][0]['points']
        if grade in ('', '-'):
            grade = '-'
        elif not 0 <= float(grade.replace(',', '.')) <= maximum:
            problem(f'{student["key"]}: {grade} is skipped')
        comment = row[at['Feedback comments']] if 'Feedback comments' in at else ''
        print(student['key'], grade, len(comment) > 0)
    for s in course['students']:
        if s['key'] not in seen:
            problem(f'no row for {s["key"]}')


# Canvas: of a file's name the first two parts that are numbers are the student's and the upload's; that upload must be one of the
# student's submission.
def canvas_zip(course, path):
    for name in zipfile.ZipFile(path).namelist():
        base = name.split('/')[-1]
        parts = base.split('_')
        numbers = [p for p in parts if re.fullmatch(r'[0-9]+', p)][:2]
        student = next((s for s in course['students'] if len(numbers) == 2 and str(s['id']) == numbers[0]), None)
        if base.startswith('._') or re.match('link', parts[-1]) or not student or int(numbers[1]) not in student['attachments']:
            problem(f'ignored: {name}')
        else:
            print(student['key'], base)


# Moodle: some part of the path is FULLNAME_NUMBER_TYPE_PLUGIN[_...], with a participant's number and a plugin that there is.
def moodle_zip(course, path):
    for name in zipfile.ZipFile(path).namelist():
        base = name.split('/')[-1]
        if not base or base[0] in '.~':
            problem(f'ignored: {name}')
            continue
        parts = name.split('/')
        for i, part in enumerate(parts):
            info = part.split('_', 4)
            student = next((s for s in course['students'] if len(info) >= 4 and info[1].isdigit() and s['participant'] == info[1]), None)
            if student and (info[2], info[3]) in (('assignsubmission', 'file'), ('assignfeedback', 'file')):
                rest = ([info[4]] if len(info) > 4 else []) + parts[i + 1:]
                print(student['key'], '/'.join(rest))
                break
        else:
            problem(f'ignored: {name}')


FORMATS = {'text', 'html', 'simple_format', 'md', 'ansi'}
VISIBLE = {'hidden', 'after_due_date', 'after_published', 'visible'}


def gradescope(path):
    r = json.load(open(path))
    tests = r.get('tests', [])
    known = {'score', 'execution_time', 'output', 'output_format', 'test_output_format', 'test_name_format', 'visibility', 'stdout_visibility',
             'extra_data', 'tests', 'leaderboard'}
    if not isinstance(r.get('score'), (int, float)) and not (tests and all(isinstance(t.get('score'), (int, float)) for t in tests)):
        problem('neither a score nor one in each test')
    if set(r) - known:
        problem(f'unknown: {set(r) - known}')
    for t in tests:
        if t.get('status', 'passed') not in ('passed', 'failed') or t.get('visibility', 'visible') not in VISIBLE or \
                t.get('output_format', 'text') not in FORMATS or not isinstance(t.get('name', ''), str):
            problem(f'a test that is none: {t}')
    print(r.get('score'))


def prairielearn(path):
    text = open(path, 'rb').read()
    r = json.loads(text)
    if len(text) > 1 << 20:
        problem('more than 1 MB')
    if r.get('gradable', True) and not (isinstance(r.get('score'), (int, float)) and 0 <= r['score'] <= 1):
        problem('gradable, and no score from 0 to 1')
    for t in r.get('tests', []):
        if not isinstance(t['points'], (int, float)) or not isinstance(t['max_points'], (int, float)):
            problem(f'a test without points: {t}')
    print(r.get('score'))


def autolab(path):
    lines = open(path).read().splitlines()
    r = json.loads(lines[-1])
    if not all(isinstance(v, (int, float)) for v in r['scores'].values()):
        problem('a score that is no number')
    before = json.loads(lines[-2])
    if before['_presentation'] != 'semantic' or not all(stage in before for stage in before['stages']):
        problem('the line before the last is no feedback')
    print(r['scores'])


# JUnit: what the schema of Jenkins's xunit plugin allows, and what GitLab keeps. Each element: its attributes, those that must be there, and the
# order of what it holds ('?': at most one, '*': any number).
ELEMENTS = {
    'testsuites': ('name time tests failures disabled errors', '', ['testsuite*']),
    'testsuite': ('name tests failures errors time timestamp hostname id package skipped disabled', 'name tests failures errors',
                  ['properties?', 'testcase*', 'system-out?', 'system-err?']),
    'properties': ('', '', ['property*']),
    'property': ('name value', 'name value', []),
    'testcase': ('name classname time file assertions status', 'name', ['skipped?', 'error*', 'failure*', 'system-out*', 'system-err*']),
    'failure': ('type message', '', []), 'error': ('type message', '', []), 'skipped': ('type message', '', []), 'system-out': ('', '', []), 'system-err': ('', '', []),
}


def fits_schema(element):
    allowed, needed, order = ELEMENTS.get(element.tag, ('', '', []))
    if element.tag not in ELEMENTS or set(element.attrib) - set(allowed.split()) or set(needed.split()) - set(element.attrib):
        problem(f'{element.tag} with {sorted(element.attrib)} fits no schema')
    names, last = [o.rstrip('?*') for o in order], 0
    for child in element:
        at = names.index(child.tag) if child.tag in names else -1
        if at < last or order[at].endswith('?') and sum(c.tag == child.tag for c in element) > 1:
            problem(f'{child.tag} does not stand there in {element.tag}')
        last = max(at, last)
        fits_schema(child)
    if not order and len(element):
        problem(f'{element.tag} holds elements')


def junit(path):
    if os.path.getsize(path) >= 30 << 20:
        problem('GitLab takes less than 30 MB')
    root, keys = xml.parse(path).getroot(), set()
    if root.tag not in ('testsuites', 'testsuite'):
        problem(f'{root.tag} is no report')
    fits_schema(root)
    for suite in root.iter('testsuite'):
        cases = suite.findall('testcase')
        for count, tag in (('tests', None), ('failures', 'failure'), ('errors', 'error'), ('skipped', 'skipped')):
            if int(suite.get(count, 0)) != sum(tag is None or c.find(tag) is not None for c in cases):
                problem(f'{suite.get("name")}: {count} is {suite.get(count)}')
        for case in cases:
            key = (case.get('classname') or suite.get('name'), case.get('name'))
            bad = [c for c in case if c.tag in ('failure', 'error', 'skipped')]
            if key in keys or not all(key):
                problem(f'{key}: a second one of the name, or one without a name, is dropped')
            keys.add(key)
            if len(bad) > 1 or any(c.tag == 'failure' and not (c.text or '').strip() for c in bad):
                problem(f'{key}: GitLab shows the body of one outcome, and there is none')
            print(*key, bad[0].tag if bad else 'success')


LONE = {'gradescope': gradescope, 'prairielearn': prairielearn, 'autolab': autolab, 'junit': junit}
kind, files = sys.argv[1], sys.argv[2:]
if kind in LONE:
    for file in files:
        LONE[kind](file)
else:
    course = json.load(open(files[0]))
    {'canvas': canvas, 'moodle': moodle, 'canvas-zip': canvas_zip, 'moodle-zip': moodle_zip}[kind](course, files[1])
for text in problems:
    print('PROBLEM', text)
sys.exit(1 if problems else 0)
