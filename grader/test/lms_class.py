#!/usr/bin/env python3
"""A class of forty as a system knows it, and its downloads: lms_class.py canvas|moodle|gradescope DIR SOURCE...

SOURCE are right and wrong submissions of 02-vector-add; students hand them in in turns. Written: DIR/course.json (who is really who,
for importers.py), DIR/submissions.zip, and gradebook.csv (Canvas), worksheet.csv (Moodle) or roster.csv (Gradescope). Everything that
real downloads hold is there: ODDITIES lists what.
"""
import csv, io, json, sys, zipfile

system, out, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
texts = [open(s, 'rb').read() for s in sources]
FILE = 'vector_add.cu'

# (oddity of a name, name as "given family")
NAMES = {3: ('an apostrophe', "Student O'Three"), 4: ('an accent', 'Stud\u00e9nt F\u00f6ur'), 5: ('another script', '\u5b66\u751f \u4e94'),
         6: ('an underscore', 'Student_Six Six'), 7: ('a hyphen', 'Student-Ann Seven'), 8: ('quotes', 'Student "Ei" Eight'), 9: ('one word', 'Nine'),
         10: ('a formula', '=Student Ten'), 11: ('digits', 'Student 11 Eleven'), 12: ('many words', 'Student de la van der Twelve Twelve'),
         13: ('the name of another', 'Student Same'), 14: ('the name of another', 'Student Same'), 15: ('a comma', 'Student Fifteen, Jr.'),
         16: ('spaces', 'Student  Sixteen'), 17: ('a combining mark', 'Stude\u0301nt Seventeen'), 18: ('markup', 'Student <b>Eighteen</b>')}
# What is handed in, by student; the rest hand in one right file.
WORK = {20: 'nothing', 21: 'late', 22: 'twice', 23: 'a zip', 24: 'a tar.gz', 25: 'another name', 26: 'capitals', 27: 'UTF-16', 28: 'Latin-1', 29: 'CRLF',
        30: 'a folder', 31: 'a text', 32: 'a second file', 33: 'nothing', 34: 'an empty file', 35: 'a .DS_Store', 36: 'BOM', 37: '.txt behind'}
ODDITIES = sorted({o for o, _ in NAMES.values()} | set(WORK.values()))


class Student:
    def __init__(self, i):
        self.i, self.key, self.number = i, f's{i:03}', 1200 + i
        self.name = NAMES.get(i, ('', f'Student Number{i}'))[1]
        given, _, family = self.name.rpartition(' ')
        self.given, self.family = given or self.name, family if given else ''
        self.sortable = f'{self.family}, {self.given}' if self.family else self.name
        self.sis = '' if i in (19, 39) and system == 'canvas' else f'3{i:04}'
        self.login = self.key
        self.email = f'{self.key}@example.org'
        self.participant = str(4700 + i)
        self.section = 'Group A and Group B' if i == 2 else 'Group A' if i % 2 else 'Group B'
        self.work = WORK.get(i, '')
        self.attachments = []


students = [Student(i) for i in range(1, 41)]


def archive(kind, text):
    buffer = io.BytesIO()
    if kind == 'a zip':
        with zipfile.ZipFile(buffer, 'w') as z:
            z.writestr('02-vector-add/' + FILE, text)
    else:
        import tarfile
        with tarfile.open(fileobj=buffer, mode='w:gz') as t:
            member = tarfile.TarInfo('02-vector-add/' + FILE)
            member.size = len(text)
            t.addfile(member, io.BytesIO(text))
    return buffer.getvalue()


def files_of(s):
    text = texts[s.i % len(texts)]
    kinds = {'nothing': [], 'a zip': [('work.zip', archive('a zip', text))], 'a tar.gz': [('work.tar.gz', archive('tar', text))], 'another name': [('add.cu', text)],
             'capitals': [('Vector_Add.cu', text)], 'UTF-16': [(FILE, text.decode().encode('utf-16'))], 'Latin-1': [(FILE, b'// \xe9\xe9\n' + text)],
             'CRLF': [(FILE, text.replace(b'\n', b'\r\n'))], 'a second file': [(FILE, text), ('notes.md', b'# notes\n')], 'an empty file': [(FILE, b'')],
             'BOM': [(FILE, b'\xef\xbb\xbf' + text)], '.txt behind': [(FILE + '.txt', text)], 'a .DS_Store': [(FILE, text), ('.DS_Store', b'\0\1')],
             'a folder': [('src/' + FILE if system != 'canvas' else FILE, text)], 'a text': [(FILE, text), ('onlinetext.html', b'<p>done</p>')]}
    return kinds.get(s.work, [(FILE, text)])


def canvas_names(s):
    letters = ''.join(c for c in s.sortable.lower() if c.isalnum())
    late = 'LATE_' if s.work == 'late' else ''
    for n, (name, data) in enumerate(files_of(s)):
        upload = 98000 + 10 * s.i + n
        if name == 'onlinetext.html':
            yield f'{letters}_{late}{s.number}_text.html', data
            continue
        s.attachments.append(upload)
        yield f'{letters}_{late}{s.number}_{upload}_{name}', data
        if s.work == 'twice':
            s.attachments[-1] = upload + 5
            yield f'{letters}_{s.number}_{upload + 5}_vector_add-1.cu', data


def moodle_names(s):
    name = s.name.replace('_', ' ')
    for odd in '&<>"`|\':\\/':
        name = name.replace(odd, '')
    for file, data in files_of(s):
        plugin = 'onlinetext' if file == 'onlinetext.html' else 'file'
        tail = '_' if s.i % 3 == 0 else ''  # older releases wrote an underscore more
        yield f'{name}_{s.participant}_assignsubmission_{plugin}{tail}/{file}', data


def gradescope_names(s):
    for file, data in files_of(s):
        yield f'assignment_77_export/submission_{5500 + s.i}/{file}', data


def sheet(path, rows, delimiter=',', bom=False):
    with open(path, 'w', encoding='utf-8', newline='') as f:
        f.write('\ufeff' if bom else '')
        csv.writer(f, delimiter=delimiter, lineterminator='\r\n').writerows(rows)


namer = {'canvas': canvas_names, 'moodle': moodle_names, 'gradescope': gradescope_names}[system]
with zipfile.ZipFile(f'{out}/submissions.zip', 'w') as z:
    for s in students:
        for name, data in namer(s):
            z.writestr(name, data)
    z.writestr('__MACOSX/._x', b'\0')
    if system == 'gradescope':
        lines = []
        for s in students:
            if files_of(s):
                name = s.name.replace("'", "''")
                lines.append(f"submission_{5500 + s.i}:\n  :submitters:\n  - :name: '{name}'\n    :sid: '{s.sis}'\n    :email: {s.email}\n"
                             f"  :created_at: 2026-10-12 21:14:03.120 Z\n  :score: 0.0\n  :status: processed\n")
        z.writestr('assignment_77_export/submission_metadata.yml', '---\n' + ''.join(lines))

title = 'Vector add' if system == 'canvas' else '02-vector-add'
points = 100.0
if system == 'canvas':
    rows = [['Student', 'ID', 'SIS User ID', 'SIS Login ID', 'Section', 'Warm up (76)', f'{title} (77)', 'Assignments Current Score', 'Final Grade'],
            ['', '', '', '', '', '', 'Manual Posting', '', ''], ['    Points Possible', '', '', '', '', '10.00', '100.00', '(read only)', '(read only)']]
    rows += [[s.sortable, s.number, s.sis, s.login, s.section, 'EX' if s.i == 1 else '7.50', 'EX' if s.i == 33 else '', '75.00', 'C'] for s in students]
    rows += [['Student, Test', 1999, '', 'a1b2c3', 'Group A', '', '', '', '']]
    sheet(f'{out}/gradebook.csv', rows)
elif system == 'moodle':
    rows = [['Identifier', 'Full name', 'ID number', 'Email address', 'Status', 'Group', 'Grade', 'Maximum Grade', 'Grade can be changed',
             'Last modified (submission)', 'Last modified (grade)', 'Feedback comments']]
    rows += [[f'Participant {s.participant}', s.name, s.sis, s.email, 'Submitted for grading - ' if files_of(s) else 'No submission - ', s.section,
              '50.00' if s.i == 1 else '', '100.00', 'Yes', 'Monday, 12 October 2026, 9:14 PM', '-', '<p>Come to me, please.</p>' if s.i == 2 else '']
             for s in students]
    sheet(f'{out}/worksheet.csv', rows, bom=True)
else:
    rows = [['First Name', 'Last Name', 'SID', 'Email', 'Role', 'Sections']]
    rows += [[s.given, s.family, s.sis, s.email, 'Student', s.section] for s in students]
    rows += [['Teacher', 'One', '', 't001@example.org', 'Instructor', '']]
    sheet(f'{out}/roster.csv', rows)
extra = [dict(key='test', id=1999, name='Test Student', sortable='Student, Test', sis='', login='a1b2c3', participant='', attachments=[])] if system == 'canvas' else []
json.dump({'students': [dict(key=s.key, id=s.number, name=s.name if s.i not in (13, 14) else f'{s.name} {s.i}', sortable=s.sortable, sis=s.sis, login=s.login,
                             participant=s.participant, attachments=s.attachments) for s in students] + extra,
           'assignments': [{'id': 76, 'title': 'Warm up', 'points': 10}, {'id': 77, 'title': title, 'points': points}] if system == 'canvas'
           else [{'id': 77, 'title': title, 'points': points}]}, open(f'{out}/course.json', 'w'))
print(len(ODDITIES))
