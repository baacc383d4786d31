-- lab: what every handout, slide deck and book is made from: a lab's README.md, its lab.yaml, and for the
-- instructor its solution and notes.
--
-- The filters in this folder load it with dofile(); they run in the kit's root. Nothing here prints, and nothing
-- depends on the time, the machine or the order of a table's keys. Limits: lab.yaml is read as pandoc reads metadata, so
-- its errors are those that `make all` has reported already.

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local all_words = dofile(here .. '/words.lua')

local lab = {}

lab.reader = 'gfm+tex_math_dollars'

local text_of = pandoc.utils.stringify

local function read_file(path)
    local file = io.open(path)
    if not file then
        error(path .. ' cannot be read')
    end
    local text = file:read('a')
    file:close()
    return text
end
lab.read_file = read_file

local function exists(path)
    local file = io.open(path)
    return file ~= nil and file:close()
end

-- The fields of a YAML file, texts as inlines.
function lab.read_yaml(path)
    local text = '---\n' .. read_file(path) .. '\n---\n'
    return pandoc.read(text, 'commonmark+yaml_metadata_block').meta
end

-- '01-indexing' -> '01'
function lab.number(name)
    return name:match('^%d%d')
end

-- { ['01'] = '01-indexing', ... } from the names in one text, separated by blanks.
function lab.index(names)
    local index = {}
    for name in names:gmatch('%S+') do
        index[lab.number(name)] = name
    end
    return index
end

-- What the filters write, in a language (none: English).
function lab.words(language)
    return all_words[language or 'en']
end

-- '01-indexing.zh-CN' -> '01-indexing', 'zh-CN'
function lab.translation(page)
    return page:match('^([%w-]+)%.([%a-]+)$')
end

-- The fields of lab.yaml, with the texts of lab.LANGUAGE.yaml in the place of its own.
function lab.fields(folder, language)
    local fields = lab.read_yaml(folder .. '/lab.yaml')
    if not language then return fields end
    local texts, messages = lab.read_yaml(folder .. '/lab.' .. language .. '.yaml'), {}
    fields.title, fields.goal = texts.title, texts.goal
    for _, case in ipairs(texts.cases) do messages[text_of(case.name)] = case.message end
    for _, case in ipairs(fields.cases) do case.message = messages[text_of(case.name)] or case.message end
    return fields
end

-- Navigation -----------------------------------------------------------------------------------------------------

-- The numbers of the first labs of a course's parts; words.lua has the parts' names.
local PART_BEGINS = { '00', '06', '14' }

-- The names in a text, sorted, in parts: a list of { name of the part, labs }.
function lab.parts(names, language)
    local list, parts = pandoc.List(), pandoc.List()
    for name in names:gmatch('%S+') do list:insert(name) end
    list:sort()
    for i, first in ipairs(PART_BEGINS) do
        local last = PART_BEGINS[i + 1] or '99'
        local labs = list:filter(function(name) return lab.number(name) >= first and lab.number(name) < last end)
        if #labs > 0 then parts:insert({ name = lab.words(language).parts[i], labs = labs }) end
    end
    return parts
end

local function escaped(text)
    return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

local function title_of(name, address, language)
    local own = language and address:find('.' .. language .. '.', 1, true) and language
    return text_of(lab.fields('labs/' .. name, own).title), own
end

-- What leads to the other labs, as HTML for the template: the list at the side, and the labs before and after `current`, if that is a lab.
function lab.set_navigation(meta, current, href, language)
    local words = lab.words(language)
    local side, around, before = {}, {}, nil
    local function link(name, label, rel)
        local address = href(name)
        local title, own = title_of(name, address, language)
        local attributes = name == current and ' aria-current="page"' or rel and ' rel="' .. rel .. '"' or ''
        if language and not own then attributes = attributes .. ' lang="en"' end
        return string.format('<a href="%s"%s>%s%s %s</a>', address, attributes, label and '<span>' .. label .. '</span> ' or '', lab.number(name), escaped(title))
    end
    local found = false
    for _, part in ipairs(lab.parts(text_of(meta.labs), language)) do
        side[#side + 1] = '<h2>' .. part.name .. '</h2>\n<ol>'
        for _, name in ipairs(part.labs) do
            side[#side + 1] = '<li>' .. link(name) .. '</li>'
            if name == current then
                if before then around[#around + 1] = link(before, words.previous, 'prev') end
                found = true
            elseif found then
                around[#around + 1] = link(name, words.next, 'next')
                found = false
            end
            before = name
        end
        side[#side + 1] = '</ol>'
    end
    meta.labnav = pandoc.MetaBlocks({ pandoc.RawBlock('html', table.concat(side, '\n')) })
    if #around > 0 then meta.around = pandoc.MetaBlocks({ pandoc.RawBlock('html', table.concat(around, '\n')) }) end
    meta.labnavtitle = words.labs
    meta.word = {}
    for _, name in ipairs({ 'students', 'instructors', 'vgpu', 'security', 'search', 'site', 'contents' }) do meta.word[name] = words[name] end
    meta.own = language and '.' .. language or ''
end

-- Comments -------------------------------------------------------------------------------------------------------

-- 'hints' for <!-- hints -->, nil for any other block.
local function marker(block)
    if block.t == 'RawBlock' and block.format:match('html') then
        return block.text:match('^%s*<!%-%-%s*(.-)%s*%-%->%s*$')
    end
end

-- Takes the hints out: the blocks without them, and a list of { summary, blocks }. The place of each region of
-- hints is kept by `instead` (a list of blocks).
function lab.split_hints(blocks, instead)
    local rest, hints, inside = pandoc.List(), pandoc.List(), false
    for _, block in ipairs(blocks) do
        local word = marker(block)
        local raw = block.t == 'RawBlock' and block.text or ''
        local summary = raw:match('<summary>(.-)</summary>')
        if word == 'hints' then
            inside = true
            rest:extend(instead)
        elseif inside and raw:match('<!%-%-%s*end%s*%-%->') then -- the reader joins it to the </details> above it
            inside = false
        elseif not inside then
            rest:insert(block)
        elseif summary then
            hints:insert({ summary = summary, blocks = pandoc.List() })
        elseif block.t ~= 'RawBlock' then
            hints[#hints].blocks:insert(block)
        end
    end
    return rest, hints
end

-- The hints as a section of their own, for paper, in smaller letters: they are read one by one, and end on fewer pages with three lines on them.
function lab.hints_section(hints, level, identifier, words)
    local out = pandoc.List({ pandoc.Header(level, { pandoc.Str(words.hints_last) }, { id = identifier }), pandoc.RawBlock('latex', '\\begingroup\\small') })
    for _, hint in ipairs(hints) do
        local first = hint.blocks[1]
        local lead = pandoc.List({ pandoc.Strong({ pandoc.Str(hint.summary .. words.full_stop) }), pandoc.Space() })
        if first and first.t == 'Para' then
            lead:extend(first.content)
            hint.blocks:remove(1)
        end
        out:insert(pandoc.Para(lead))
        out:extend(hint.blocks)
    end
    out:insert(pandoc.RawBlock('latex', '\\par\\endgroup'))
    return out
end

local function drop_comments(blocks)
    return blocks:filter(function(block) return marker(block) == nil end)
end

-- The blocks of a manual, its title first.
function lab.manual(name)
    return drop_comments(pandoc.read(read_file('docs/' .. name .. '.md'), lab.reader).blocks)
end

-- Points ---------------------------------------------------------------------------------------------------------

local function plain(inlines)
    return pandoc.Blocks({ pandoc.Plain(inlines) })
end

local function case_rows(cases)
    local rows, sum = pandoc.List(), 0
    for _, case in ipairs(cases) do
        local points = tonumber(text_of(case.points))
        sum = sum + points
        rows:insert({ plain({ pandoc.Code(text_of(case.name)) }), plain({ pandoc.Str(string.format('%g', points)) }),
                      plain(case.message and pandoc.utils.blocks_to_inlines({ pandoc.Plain(case.message) }) or {}) })
    end
    return rows, sum
end

local function table_of(heads, aligns, rows)
    local widths = {}
    for i = 1, #heads do widths[i] = 0 end
    local header = pandoc.List(heads):map(function(head) return plain({ pandoc.Str(head) }) end)
    return pandoc.utils.from_simple_table(pandoc.SimpleTable({}, aligns, widths, header, rows))
end

-- A row for each public case, and one for the hidden ones, or with `hidden` (of hidden.yaml) one for each of them.
function lab.points_table(fields, hidden, words)
    local total = fields.points and tonumber(text_of(fields.points)) or 100
    local rows, sum = case_rows(fields.cases)
    local aligns = { 'AlignLeft', 'AlignRight', 'AlignLeft' }
    if hidden then
        for _, row in ipairs((case_rows(hidden.cases))) do
            row[3][1].content:insert(1, pandoc.Str(words.is_hidden))
            rows:insert(row)
        end
    elseif total > sum then
        rows:insert({ plain({ pandoc.Str(words.hidden) }), plain({ pandoc.Str(string.format('%g', total - sum)) }),
                      plain({ pandoc.Str(words.hidden_about) }) })
    end
    return table_of({ words.case, words.points, words.about }, aligns, rows)
end

-- Puts the table behind the section "How it is graded", or where a comment <!-- points --> stands.
local function insert_points(blocks, points)
    local out, in_section, done = pandoc.List(), false, false
    local function put()
        out:insert(points)
        in_section, done = false, true
    end
    for _, block in ipairs(blocks) do
        if marker(block) == 'points' and not done then
            put()
        else
            if block.t == 'Header' and in_section then put() end
            if block.t == 'Header' and not done and text_of(block.content) == 'How it is graded' then
                in_section = true
            end
            out:insert(block)
        end
    end
    if in_section then put() end
    return out
end

-- Films ----------------------------------------------------------------------------------------------------------

-- The text of an element of XML, as text.
local function text_of_element(xml, pattern)
    local names = { lt = '<', gt = '>', amp = '&', quot = '"' }
    return ((xml:match(pattern) or ''):gsub('&(%a+);', names))
end

-- The row of a film in solutions/films.txt or films.LANGUAGE.txt: what is to be seen.
local function caption_of_film(name, kind, language)
    for line in read_file('solutions/films' .. (language and '.' .. language or '') .. '.txt'):gmatch('[^\n]+') do
        local row_lab, row_kind = line:match('^(%S+) | (%S+) | ')
        if row_lab == name and row_kind == kind then return line:match('| ([^|]*)$') end
    end
end

-- The picture of a lab's film, with its caption; on the site it leads to the film. Nothing where there is none.
local function film_blocks(name, kind, options)
    local path = options.films and options.films .. '/' .. name .. '-' .. kind .. '.svg'
    if not path or not exists(path) then return pandoc.List() end
    local alternative = text_of_element(read_file(path), '<desc id="d">(.-)</desc>')
    local at = (options.films_at or options.films) .. '/' .. name .. '-' .. kind
    local words = lab.words(options.language)
    local caption = pandoc.Inlines(pandoc.utils.blocks_to_inlines(pandoc.read(caption_of_film(name, kind, options.language), 'commonmark').blocks))
    if options.films_at then
        caption:extend({ pandoc.Space(), pandoc.Link({ pandoc.Str(words.film) }, at .. '.html'), pandoc.Str(words.full_stop) })
    end
    return pandoc.List({ pandoc.Para({ pandoc.Image({ pandoc.Str(alternative) }, at .. '.svg', '', pandoc.Attr('', { 'film' }, options.paper and { width = '60%' } or {})) }), pandoc.Para({ pandoc.Emph(caption) }) })
end

local function insert_films(blocks, name, options)
    local ends = lab.words(options.language).film_ends
    local out, kind, level = pandoc.List(), nil, nil
    local function put()
        if kind then out:extend(film_blocks(name, kind, options)) end
        kind = nil
    end
    for _, block in ipairs(blocks) do
        if block.t == 'Header' and (not kind or block.level <= level) then
            put()
            kind, level = ends[text_of(block.content)], block.level
        end
        out:insert(block)
    end
    put()
    return out
end

-- Cross references -----------------------------------------------------------------------------------------------

-- "lab 02" becomes a link when the lab is there; href(name) gives its address, or nil for none. Languages without blanks between words
-- write the word for lab at the end of a longer string.
function lab.link_labs(inlines, index, href, own, word_for_lab)
    local out, i = pandoc.List(), 1
    while i <= #inlines do
        local word, gap, number = inlines[i], inlines[i + 1], inlines[i + 2]
        local digits, tail
        local before = word.t == 'Str' and (word.text:match('^(%(?)[Ll]ab$') or word_for_lab and word.text:match('^(.*)' .. word_for_lab .. '$'))
        if before and gap and (gap.t == 'Space' or gap.t == 'SoftBreak')
            and number and number.t == 'Str' then
            digits, tail = number.text:match('^(%d%d)(%D*)$')
        end
        local name = digits and index[digits]
        local address = name and name ~= own and href(name)
        if address then
            if before ~= '' then out:insert(pandoc.Str(before)) end
            out:insert(pandoc.Link({ pandoc.Str(word.text:sub(#before + 1)), pandoc.Space(), pandoc.Str(digits) }, address))
            if tail ~= '' then out:insert(pandoc.Str(tail)) end
            i = i + 3
        else
            out:insert(word)
            i = i + 1
        end
    end
    return out
end

-- [text](../02-vector-add/README.md) -> the same lab's address.
local function link_of_file(link, index, href)
    local name = link.target:match('^%.%./(%d%d%-[%w-]+)/README[%w.-]*%.md')
    local address = name and index[lab.number(name)] == name and href(name)
    if address then link.target = address end
    return link
end

-- Figures --------------------------------------------------------------------------------------------------------

local LETTERS_MIN = 9 -- pixels: no letter of a figure is shown smaller
local PAPER_WIDTH = 800 -- units of a figure that would fill the type area

-- The width of an SVG in its own units, and the size of its smallest letters.
local function measures(path)
    local svg, least = read_file(path), nil
    for size in svg:gmatch('font%-size="([%d.]+)"') do least = math.min(least or 99, tonumber(size)) end
    for size in svg:gmatch('font:[%a ]*([%d.]+)px') do least = math.min(least or 99, tonumber(size)) end
    return tonumber(svg:match('viewBox="0 0 ([%d.]+)')), least or 14
end

-- What a figure says of itself.
function lab.figure_title(path)
    local title = exists(path) and read_file(path):match("<title[^>]*>(.-)</title>")
    return title and (title:gsub('&(%a+);', { lt = '<', gt = '>', amp = '&', quot = '"' }))
end

local function lone_image(block)
    return (block.t == 'Para' or block.t == 'Plain') and #block.content == 1 and block.content[1].t == 'Image' and block.content[1].src:match('%.svg$') and block.content[1]
end

local function scrolled(block, label) -- what is wider than a narrow screen is moved by itself, with the keyboard too
    return pandoc.Div({ block }, pandoc.Attr('', { 'scroll' }, { { 'tabindex', '0' }, { 'role', 'group' }, { 'aria-label', label } }))
end

-- What a program prints, in pieces: lines in columns (a table, a time line, source with a mark below it) stay whole and scroll on a narrow screen,
-- and what is between them is broken where the screen ends.
local function in_pieces(code, words)
    local pieces, lines = pandoc.List(), {}
    for line in (code.text .. '\n'):gmatch('(.-)\n') do table.insert(lines, { text = line, columns = line:find('%S   *%S') ~= nil }) end
    for i, line in ipairs(lines) do -- one such line alone is none of columns
        local before, after = lines[i - 1], lines[i + 1]
        line.whole = line.columns and ((before and before.columns) or (after and after.columns)) or false
    end
    for i, line in ipairs(lines) do
        if i > 1 and lines[i - 1].whole == line.whole then pieces[#pieces].text = pieces[#pieces].text .. '\n' .. line.text
        else pieces:insert({ text = line.text, whole = line.whole }) end
    end
    if #pieces == 1 and not pieces[1].whole then return nil end
    return pandoc.Div(pieces:map(function(piece)
        local block = pandoc.CodeBlock(piece.text, code.attr)
        return piece.whole and scrolled(block, words.output) or block
    end), { class = 'output' })
end

-- Blocks as a screen shows them: a figure is as wide as it was drawn, and on a narrow screen only so small that it can be read; tables,
-- figures and formulas that are wider than the screen scroll inside of themselves.
function lab.for_screen(blocks, words)
    return pandoc.Blocks(blocks):walk({
        Table = function(tbl) return scrolled(tbl, words.table_) end,
        CodeBlock = function(code) if #code.classes == 0 or code.classes[1] == 'text' then return in_pieces(code, words) end end,
        Para = function(para)
            local formula = #para.content == 1 and para.content[1].t == 'Math' and para.content[1].mathtype == 'DisplayMath'
            if formula then return scrolled(para, words.formula) end
            local image = lone_image(para)
            local path = image and image.src:gsub('^films/', (lab.films_folder or 'films') .. '/')
            if not image or not exists(path) then return nil end
            local width, least = measures(path)
            image.attributes.style = string.format('width: %.0fpx; min-width: %.0fpx', width, math.min(width, width * LETTERS_MIN / least))
            return scrolled(pandoc.Plain({ image }), words.figure)
        end,
    })
end

local function for_paper(blocks)
    return pandoc.Blocks(blocks):walk({
        Para = function(para)
            local image = lone_image(para)
            if not image or image.attributes.width or not exists(image.src) then return nil end
            image.attributes.width = string.format('%.0f%%', math.min(86, 100 * measures(image.src) / PAPER_WIDTH))
            return para
        end,
    })
end

-- Hints ----------------------------------------------------------------------------------------------------------

-- A word of a hint that is a name of the program, without the signs around it.
local function is_name(word)
    return word:match('^[%w_]+_[%w_]*$') or word:match('^_[%w_]+$') or word:match('^%a+%.[xyz]$') or word:match('^[%w_]+%(%)$') or word:match('^%a+%[[%w_]+%]$')
end

-- A hint in the face that code has: its names, and all of it when it is nearly the code.
local function hint_face(block, nearly_code)
    if nearly_code then return pandoc.Para({ pandoc.Code(text_of(block)) }) end
    return block:walk({
        Str = function(str)
            local before, word, after = str.text:match('^(%(?)([%w_.%[%]]+%(?%)?)([.,;:?!)]*)$')
            if not word then return nil end
            if not is_name(word) then word, after = word:gsub('%.$', ''), word:match('%.$') and '.' .. after or after end
            if not is_name(word) then return nil end
            return { pandoc.Str(before), pandoc.Code(word), pandoc.Str(after) }
        end,
    })
end

local function face_hints(blocks, words)
    local inside, summary = false, nil
    return pandoc.List(blocks):map(function(block)
        local raw = block.t == 'RawBlock' and block.text or ''
        if marker(block) == 'hints' then inside = true end
        if raw:match('<!%-%-%s*end%s*%-%->') then inside = false end
        summary = raw:match('<summary>(.-)</summary>') or summary
        if not inside or block.t ~= 'Para' then return block end
        return hint_face(block, summary and summary:find(words.nearly_code, 1, true))
    end)
end

-- Code -----------------------------------------------------------------------------------------------------------

local is_cuda = { c = true, cpp = true, ['c++'] = true, cuda = true, cu = true }

function lab.code_block(block)
    if is_cuda[block.classes[1]] then block.classes = { 'cuda' } end
    return block
end

-- A solution as it is compiled: the markers of `make starters` and the stubs left out.
function lab.solution_text(text)
    local out, in_stub = {}, false
    for line in (text:gsub('\n*$', '\n')):gmatch('(.-)\n') do
        local word = line:match('^%s*//@%s*(%S+)')
        if word == 'stub' then in_stub = true end
        if word == 'end' then in_stub = false end
        if not word and not in_stub and not line:match('^%s*//|') then out[#out + 1] = line end
    end
    return table.concat(out, '\n')
end

-- Instructor's edition -------------------------------------------------------------------------------------------

local function shift_headers(blocks, by)
    return pandoc.Blocks(blocks):walk({ Header = function(h) h.level = h.level + by; return h end })
end

local function solution_blocks(name, fields)
    local out = pandoc.List()
    for _, item in ipairs(fields.files) do
        local file = text_of(item)
        local text = lab.solution_text(read_file('solutions/' .. name .. '/' .. file))
        out:insert(pandoc.Header(2, { pandoc.Str('Solution:'), pandoc.Space(), pandoc.Code(file) }, { id = 'solution-' .. file:gsub('%W', '-') }))
        out:insert(pandoc.CodeBlock(text, { class = 'cuda' }))
    end
    if exists('solutions/' .. name .. '/notes.md') then
        local notes = pandoc.read(read_file('solutions/' .. name .. '/notes.md'), lab.reader).blocks
        out:insert(pandoc.Header(2, { pandoc.Str('Notes for the instructor') }, { id = 'notes' }))
        out:extend(shift_headers(notes:filter(function(b) return not (b.t == 'Header' and b.level == 1) end), 1))
    end
    return out
end

-- All together ---------------------------------------------------------------------------------------------------

-- The blocks of a lab's handout without its first heading, the heading's inlines, and the fields of lab.yaml.
--   options: name, solutions (true for the instructor's edition), index (of lab.index), href(name),
--            paper (hints behind everything else, else folded where they stand), prefix (of identifiers),
--            raise (levels by which headings go up), language (nil: English)
function lab.handout(blocks, options)
    local folder = 'labs/' .. options.name
    local fields, words = lab.fields(folder, options.language), lab.words(options.language)
    local hidden = options.solutions and lab.read_yaml('solutions/' .. options.name .. '/hidden.yaml')
    local title, hints
    blocks = face_hints(blocks, words)
    blocks = insert_points(blocks, lab.points_table(fields, hidden, words))
    if options.paper then
        local instead = pandoc.Para({ pandoc.Str(words.hints_elsewhere) })
        blocks, hints = lab.split_hints(blocks, { instead })
    end
    blocks = drop_comments(blocks)
    if blocks[1] and blocks[1].t == 'Header' and blocks[1].level == 1 then
        title = blocks:remove(1).content
    end
    if options.solutions then blocks:extend(solution_blocks(options.name, fields)) end
    if hints and #hints > 0 then
        blocks:insert(pandoc.RawBlock('latex', '\\clearpage'))
        blocks:extend(lab.hints_section(hints, 2, 'hints-last', words))
    end
    blocks = pandoc.Blocks(blocks):walk({
        Inlines = function(inlines) return lab.link_labs(inlines, options.index, options.href, options.name, options.language and words.lab) end,
    }):walk({
        Link = function(link) return link_of_file(link, options.index, options.href) end,
        CodeBlock = lab.code_block,
        Image = function(image)
            if not image.src:match('^[%a]+:') then image.src = folder .. '/' .. image.src end
            return image
        end,
        Header = function(header)
            header.identifier = (options.prefix or '') .. header.identifier
            header.level = header.level - (options.raise or 0)
            return header
        end,
    })
    if options.paper then blocks = for_paper(blocks) end
    if options.films then blocks = insert_films(blocks, options.name, options) end
    return blocks, title or fields.title, fields
end

return lab
