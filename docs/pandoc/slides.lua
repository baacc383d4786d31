-- slides: one lab's README.md -> slides for the lecture. The handout stays the only source.
--
-- Headings are slides. A paragraph becomes points, its first sentences; what is longer goes whole to the speaker's
-- notes (key n), so that nothing said in the handout is lost. A picture has a slide of its own, with a title that says what it
-- shows; tables and code get the room they need: what is too long for a slide goes on on the next one. The hints are left out: they are the student's own business.

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local lab = dofile(here .. '/lab.lua')
local text_of = pandoc.utils.stringify

local LINES_MAX = 13    -- of text on a slide
local SENTENCES_MAX = 5 -- of a paragraph
local ITEM_LINES_MAX = 3
local CODE_MAX = 20     -- lines of code
local ITEMS_MAX = 5
local CHARS_A_LINE = 70
local CODE_CHARS_A_LINE = 98
local TABLE_CHARS_A_LINE = 80
local ROW_SPACE, LIST_SPACE, ITEM_SPACE = 0.4, 0.5, 0.1 -- lines

local LEFT_OUT = { Hints = true }

-- The sentences of a text: a list of lists of inlines.
local function sentences(inlines)
    local all, one = pandoc.List(), pandoc.List()
    for i, inline in ipairs(inlines) do
        local blank = inline.t == 'Space' or inline.t == 'SoftBreak'
        if not (blank and #one == 0) then one:insert(inline) end
        local after = inlines[i + 1]
        local ends = inline.t == 'Str' and inline.text:match('[.?!][)"]*$')
        if ends and after and (after.t == 'Space' or after.t == 'SoftBreak') then
            all:insert(one)
            one = pandoc.List()
        end
    end
    if #one > 0 then all:insert(one) end
    return all
end

local function lines_of(inlines)
    return math.ceil((utf8.len(text_of(pandoc.Plain(inlines))) or 1) / CHARS_A_LINE)
end

-- A deck under construction: slides, each { title, blocks, notes, lines }.
local function new_slide(deck, title, section)
    local slide = { title = title, section = section or title, blocks = pandoc.List(), notes = pandoc.List(), lines = 0 }
    deck:insert(slide)
    return slide
end

-- The slide for `lines` more lines: the last one, or a new one with the section's title when they do not fit.
local function room_for(deck, lines)
    local slide = deck[#deck]
    if slide.lines > 0 and slide.lines + lines > LINES_MAX then
        return new_slide(deck, slide.section)
    end
    return slide
end

local function add(deck, block, lines)
    local slide = room_for(deck, lines)
    slide.blocks:insert(block)
    slide.lines = slide.lines + lines
    return slide
end

-- A picture has a slide for itself, whose title says what is to be seen: the figure's own, or a film's caption.
local function add_figure(deck, para, caption)
    local image, last = para.content[1], deck[#deck]
    local title = caption and caption.content[1].content or { pandoc.Str(lab.figure_title(image.src) or text_of(last.section)) }
    local slide = last.lines == 0 and last or new_slide(deck, title, last.section)
    slide.title, slide.lines = title, LINES_MAX
    slide.blocks:insert(para)
end

-- One sentence stays a paragraph; of more, the first ones become points.
local function add_paragraph(deck, para)
    local all, items, lines = sentences(para.content), pandoc.List(), 0
    if #all == 1 then return add(deck, para, lines_of(para.content)) end
    for i = 1, math.min(#all, SENTENCES_MAX) do
        items:insert({ pandoc.Plain(all[i]) })
        lines = lines + lines_of(all[i]) + ITEM_SPACE
    end
    local slide = add(deck, pandoc.BulletList(items), lines + LIST_SPACE)
    if #all > SENTENCES_MAX then slide.notes:insert(para) end
end

-- What of a list's item is shown: all of it when it is short.
local function short_item(inlines)
    if lines_of(inlines) <= ITEM_LINES_MAX then return inlines, false end
    local all = sentences(inlines)
    return all[1], #all > 1
end

local function add_list(deck, list)
    local ordered, start = list.t == 'OrderedList', list.t == 'OrderedList' and list.start or 1
    local items, lines, notes = pandoc.List(), 0, pandoc.List()
    local function flush(number)
        if #items == 0 then return end
        local block = ordered and pandoc.OrderedList(items, pandoc.ListAttributes(number, list.style, list.delimiter)) or pandoc.BulletList(items)
        add(deck, block, lines + LIST_SPACE).notes:extend(notes)
        items, lines, notes = pandoc.List(), 0, pandoc.List()
    end
    for i, item in ipairs(list.content) do
        local inlines = pandoc.utils.blocks_to_inlines(item)
        local first, more = short_item(inlines)
        local height = lines_of(first) + ITEM_SPACE
        if #items == ITEMS_MAX or lines + height + LIST_SPACE > LINES_MAX then flush(start + i - 1 - #items) end
        items:insert({ pandoc.Plain(first) })
        lines = lines + height
        if more then notes:insert(pandoc.Para(inlines)) end
    end
    flush(start + #list.content - #items)
end

local function cell_length(cell) return (utf8.len(text_of(pandoc.Pandoc(cell))) or 0) + 4 end

-- Lines that a row takes when its columns share the width by their longest cells, as a browser does it.
local function row_lines(row, longest)
    local sum, most = 0, 1
    for _, length in ipairs(longest) do sum = sum + length end
    for i, cell in ipairs(row) do
        local width = math.max(6, TABLE_CHARS_A_LINE * longest[i] / math.max(sum, TABLE_CHARS_A_LINE))
        most = math.max(most, math.ceil(cell_length(cell) / width))
    end
    return most + ROW_SPACE
end

local function add_table(deck, tbl)
    local simple = pandoc.utils.to_simple_table(tbl)
    local widths = pandoc.List(simple.aligns):map(function() return 0 end)
    local longest = {}
    for i, cell in ipairs(simple.header) do
        longest[i] = cell_length(cell)
        for _, row in ipairs(simple.rows) do longest[i] = math.min(math.max(longest[i], cell_length(row[i])), TABLE_CHARS_A_LINE) end
    end
    local head = row_lines(simple.header, longest)
    local rows, lines = pandoc.List(), head
    local function flush()
        local piece = pandoc.SimpleTable({}, simple.aligns, widths, simple.header, rows)
        add(deck, pandoc.utils.from_simple_table(piece), lines)
        rows, lines = pandoc.List(), head
    end
    for _, row in ipairs(simple.rows) do
        local height = row_lines(row, longest)
        if #rows > 0 and lines + height > LINES_MAX - 1 then flush() end
        rows:insert(row)
        lines = lines + height
    end
    flush()
end

-- A line that is too long goes on on the next one.
local function code_height(line) return math.max(1, math.ceil((utf8.len(line) or #line) / CODE_CHARS_A_LINE)) end

-- Where a piece of at most CODE_MAX lines may end: at the last empty line in its second half, if there is one.
local function code_end(lines, from)
    local last, height = from - 1, 0
    repeat
        last = last + 1
        height = height + code_height(lines[last])
    until last == #lines or height + code_height(lines[last + 1]) > CODE_MAX
    if last < #lines then
        for i = last, from + CODE_MAX // 2, -1 do
            if lines[i] == '' then return i end
        end
    end
    return last
end

-- Code of a file begins where something is said: include guards and the like are for the handout.
local GUARD = { '^#ifndef [%w_]+_H$', '^#define [%w_]+_H$', '^#ifdef __cplusplus', '^extern "C" {$', '^#endif', '^}$' }

local function without_guards(text)
    if not text:match('#ifdef __cplusplus') then return text end
    local out = {}
    for line in (text .. '\n'):gmatch('(.-)\n') do
        local guard = false
        for _, pattern in ipairs(GUARD) do guard = guard or line:match(pattern) ~= nil end
        if not guard and not (line == '' and out[#out] == '') then out[#out + 1] = line end
    end
    return (table.concat(out, '\n'):gsub('\n+$', ''))
end

local function add_code(deck, code)
    local lines, from = {}, 1
    for line in (without_guards(code.text) .. '\n'):gmatch('(.-)\n') do lines[#lines + 1] = line end
    while from <= #lines do
        local last = code_end(lines, from)
        local piece, height = (table.concat(lines, '\n', from, last):gsub('\n+$', '')), 0
        for i = from, last do height = height + code_height(lines[i]) end
        add(deck, pandoc.CodeBlock(piece, code.attr), math.max(3, math.min(LINES_MAX, (height + 1) * 3 // 4)))
        from = last + 1
    end
end

local ADD = { Para = add_paragraph, BulletList = add_list, OrderedList = add_list, Table = add_table, CodeBlock = add_code }

local function html(text) return pandoc.RawBlock('html', text) end

local function slide_blocks(slide)
    local out = pandoc.List({ html('<section class="slide">') })
    out:insert(pandoc.Header(2, slide.title))
    out:extend(slide.blocks)
    if #slide.notes > 0 then
        out:insert(html('<aside class="notes" aria-label="Notes">'))
        out:extend(slide.notes)
        out:insert(html('</aside>'))
    end
    out:insert(html('</section>'))
    return out
end

function Pandoc(doc)
    local name = text_of(doc.meta.lab)
    local blocks, title, fields = lab.handout(doc.blocks, {
        name = name,
        index = lab.index(text_of(doc.meta.labs)),
        href = function(other) return other .. '-slides.html' end,
        films = doc.meta.films and text_of(doc.meta.films),
    })
    local deck, skip = pandoc.List(), false
    new_slide(deck, fields.title)
    local caption_of
    for i, block in ipairs(blocks) do
        local image = block.t == 'Para' and #block.content == 1 and block.content[1].t == 'Image' and block.content[1]
        if block.t == 'Header' then
            if block.level == 2 then skip = LEFT_OUT[text_of(block.content)] or false end
            if not skip then
                if deck[#deck].lines == 0 and #deck > 1 then deck:remove() end -- a heading above this one, with nothing of its own
                new_slide(deck, block.content)
            end
        elseif image and not skip then
            caption_of = image.classes:includes('film') and blocks[i + 1] or nil
            add_figure(deck, block, caption_of)
        elseif not skip and ADD[block.t] and block ~= caption_of then
            ADD[block.t](deck, block)
        end
    end
    local out = pandoc.List()
    for i = 2, #deck do out:extend(slide_blocks(deck[i])) end
    local meta = doc.meta
    meta.title = pandoc.MetaInlines(title)
    meta.pagetitle = text_of(title)
    meta.goal = text_of(fields.goal)
    meta.minutes = text_of(fields.minutes)
    meta.author = 'CUDA Lab Kit'
    meta.lang = meta.lang or 'en'
    return pandoc.Pandoc(out, meta)
end
