-- words: what the filters themselves write into a handout, in each language that handouts are in.
--
-- A language is named as in HTML and in file names (README.zh-CN.md). To add one: a table here, and LANGUAGES in docs/module.mk.

return {
    ['en'] = {
        lab = 'lab',
        hints_last = 'Hints, to be read last',
        hints_elsewhere = 'On paper they stand at the end, behind everything else.',
        case = 'case', points = 'points', about = 'what it is about',
        hidden = 'hidden cases',
        hidden_about = 'Other sizes and situations; you see a case\'s name when it fails.',
        is_hidden = '(hidden) ',
        full_stop = '.',
        -- The solution's film ends one section, the mistake's another.
        film_ends = { ['The idea'] = 'solution', ['Common mistakes, and what you will see'] = 'mistake' },
        film = 'Watch the film',
        hints = 'Hints', nearly_code = 'nearly the code',
        figure = 'Figure', table_ = 'Table', formula = 'Formula', output = 'Output',
        pages = 'In English',
        labs = 'Labs', parts = { 'Core', 'Patterns', 'System' },
        previous = 'Previous', next = 'Next',
        students = 'For students', instructors = 'For instructors', vgpu = 'Virtual GPU', security = 'Security', search = 'Search',
        site = 'Site', contents = 'Contents',
    },
    ['zh-CN'] = {
        lab = '实验',
        hints_last = '提示（请最后再读）',
        hints_elsewhere = '在纸上，提示印在最后，排在其他所有内容之后。',
        case = '用例', points = '分值', about = '考察内容',
        hidden = '隐藏用例',
        hidden_about = '其他尺寸和情况；只有失败时，你才会看到用例的名字。',
        is_hidden = '（隐藏）',
        full_stop = '。',
        film_ends = { ['基本思想'] = 'solution', ['常见错误，以及你会看到什么'] = 'mistake' },
        film = '观看影片',
        hints = '提示', nearly_code = '差不多就是代码',
        figure = '图', table_ = '表', formula = '公式', output = '输出',
        pages = '中文',
        labs = '实验', parts = { '核心', '模式', '系统' },
        previous = '上一个', next = '下一个',
        students = '学生手册', instructors = '教师手册', vgpu = '虚拟 GPU', security = '安全', search = '搜索',
        site = '网站', contents = '目录',
    },
}
