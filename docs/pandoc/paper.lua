-- paper: what LaTeX cannot work out for itself: widths of columns, the size of code by its longest line, and where a
-- long name in code may break. Runs last; does nothing for other formats.

local CHARS_A_LINE = 88 -- of text, about

-- { longest line a size can hold, size }, for 17 cm of type
local SIZES = { { 90, 'small' }, { 113, 'footnotesize' }, { 130, 'scriptsize' } }
local LONGEST = 130

local WIDE = 0x2E80 -- from here on signs are twice as wide, and a line may break between two of them

-- The columns that a text takes.
local function text_width(text)
    local width = 0
    for _, c in utf8.codes(text) do width = width + (c >= WIDE and 2 or 1) end
    return width
end

local function cell_length(cell)
    return text_width(pandoc.utils.stringify(pandoc.Pandoc(cell)))
end

local function longest_word(cell)
    local most = 0
    for word in pandoc.utils.stringify(pandoc.Pandoc(cell)):gmatch('%S+') do
        for piece in word:gsub('[\xE2-\xEF][\x80-\xBF][\x80-\xBF]', ' '):gmatch('%S+') do most = math.max(most, #piece) end
    end
    return most
end

-- Tables narrower than a line keep their natural widths; in others a column gets its share by its longest cell.
local function table_widths(tbl)
    local simple = pandoc.utils.to_simple_table(tbl)
    local most, least, sum = {}, {}, 0
    for i = 1, #simple.aligns do most[i], least[i] = 1, 1 end
    local rows = pandoc.List({ simple.header })
    rows:extend(simple.rows)
    for _, row in ipairs(rows) do
        for i, cell in ipairs(row) do
            most[i] = math.max(most[i], cell_length(cell))
            least[i] = math.max(least[i], math.min(longest_word(cell), 30))
        end
    end
    for i = 1, #most do sum = sum + most[i] + 2 end
    if sum <= CHARS_A_LINE then
        simple.widths = pandoc.List(most):map(function() return 0 end)
        return pandoc.utils.from_simple_table(simple)
    end
    local weights, total = {}, 0
    for i = 1, #most do
        weights[i] = math.max(math.min(most[i], 60), least[i]) + 2
        total = total + weights[i]
    end
    simple.widths = pandoc.List(weights):map(function(w) return w / total end)
    return pandoc.utils.from_simple_table(simple)
end

local function wrap_lines(text)
    local out, longest = {}, 0
    for line in (text .. '\n'):gmatch('(.-)\n') do
        while utf8.len(line) and utf8.len(line) > LONGEST do
            local cut = utf8.offset(line, LONGEST - 3)
            local blank = line:sub(1, cut - 1):match('.*()%s')
            if blank and blank > cut / 2 then cut = blank + 1 end
            out[#out + 1] = line:sub(1, cut - 1)
            line = '    ' .. line:sub(cut)
        end
        out[#out + 1] = line
    end
    for _, line in ipairs(out) do longest = math.max(longest, utf8.len(line) or #line) end
    return table.concat(out, '\n'), longest
end

local function sized_code(block)
    local text, longest = wrap_lines(block.text)
    local size = SIZES[#SIZES][2]
    for i = #SIZES, 1, -1 do
        if longest <= SIZES[i][1] then size = SIZES[i][2] end
    end
    block.text = text
    return { pandoc.RawBlock('latex', '{\\' .. size), block, pandoc.RawBlock('latex', '}') }
end

local SPECIAL = { ['\\'] = '\\textbackslash{}', ['{'] = '\\{', ['}'] = '\\}', ['$'] = '\\$', ['&'] = '\\&', ['#'] = '\\#',
                  ['%'] = '\\%', ['_'] = '\\_', ['~'] = '\\textasciitilde{}', ['^'] = '\\textasciicircum{}',
                  ['<'] = '{<}', ['>'] = '{>}', ['-'] = '{-}', ['`'] = '\\textasciigrave{}', ["'"] = '\\textquotesingle{}',
                  ['"'] = '\\textquotedbl{}', [' '] = '\\ ' }
local BREAKS = '[_/.,=()*+:-]'

local SHORT_CODE = 30 -- code of so many signs is not divided at a blank

-- Code in a line of text, with places where it may break: never inside of `__shared__`.
local function inline_code(code)
    local loose = #code.text > SHORT_CODE or code.text:find('__', 1, true)
    local text = code.text:gsub('()(.)', function(at, c)
        local double = c == '_' and code.text:sub(math.max(1, at - 1), at + 1):find('__', 1, true)
        return (c == ' ' and loose and ' ' or SPECIAL[c] or c) .. (c:match(BREAKS) and not double and '\\allowbreak{}' or '')
    end)
    return pandoc.RawInline('latex', '\\texttt{' .. text .. '}')
end

if not FORMAT:match('latex') and not FORMAT:match('beamer') then
    return {}
end
local LONG_CODE = 100 -- signs of LaTeX

-- A figure stands in the middle; a text with a long piece of code, whose signs do not stretch, has lines of unlike lengths.
local function paragraph(para)
    for _, inline in ipairs(para.content) do
        if inline.t == 'RawInline' and inline.text:match('^\\texttt') and #inline.text > LONG_CODE then
            return { pandoc.RawBlock('latex', '{\\raggedright'), para, pandoc.RawBlock('latex', '\\par}') }
        end
    end
    if #para.content == 1 and para.content[1].t == 'Image' then
        return { pandoc.RawBlock('latex', '\\begin{center}'), para, pandoc.RawBlock('latex', '\\end{center}') }
    end
end

local WHOLE_ROWS = 10 -- a table of at most so many rows is not divided

local WHOLE_LISTING = 45 -- lines of a listing that is not divided: it has room on a page

-- LaTeX divides a table or a listing anywhere, and lets a heading stand alone above one: ask for room before it, or before the heading and the
-- paragraph that lead to it.
local function keep_together(blocks)
    local out = pandoc.List()
    local function kind(i) return blocks[i] and blocks[i].t end
    for i, block in ipairs(blocks) do
        local lines
        if block.t == 'Table' then
            local rows = #pandoc.utils.to_simple_table(block).rows
            lines = rows <= WHOLE_ROWS and 3 + rows + rows // 2 or 8
        elseif block.t == 'CodeBlock' then
            local _, breaks = block.text:gsub('\n', '')
            lines = breaks < WHOLE_LISTING and breaks + 3 or 12
        end
        if lines then
            local at = #out + 1
            if kind(i - 1) == 'Para' and kind(i - 2) == 'Header' then at, lines = #out - 1, lines + 5
            elseif kind(i - 1) == 'Header' then at, lines = #out, lines + 3 end
            out:insert(at, pandoc.RawBlock('latex', '\\needroom{' .. lines .. '\\baselineskip}'))
        end
        out:insert(block)
    end
    return out
end

-- Tables first: they measure code that is still code.
return { { Blocks = keep_together }, { Table = table_widths }, { CodeBlock = sized_code, Code = inline_code, Para = paragraph } }
