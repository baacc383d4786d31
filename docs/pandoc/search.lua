-- search: the index of the search page: every section of every lab and manual, as a JavaScript list. What pandoc is
-- given is left out.
--
--   -M pages="names of the pages of docs/" -M labs="names of all labs" -M translations="01-alpha.zh-CN, ... for a README.zh-CN.md"

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local lab = dofile(here .. '/lab.lua')
local text_of = pandoc.utils.stringify

local ESCAPES = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = ' ', ['\t'] = ' ', ['\r'] = ' ' }

local function quoted(text)
    text = text:gsub('[%z\1-\31"\\]', function(c) return ESCAPES[c] or ' ' end):gsub('  +', ' ')
    return '"' .. text .. '"'
end

-- The words of a block: with blanks where one cell, item or line ends and another begins.
local function words(block)
    local out = {}
    pandoc.Blocks({ block }):walk({
        Plain = function(b) out[#out + 1] = text_of(b) end,
        Para = function(b) out[#out + 1] = text_of(b) end,
        Header = function(b) out[#out + 1] = text_of(b) end,
        CodeBlock = function(b) out[#out + 1] = b.text end,
    })
    return table.concat(out, ' ')
end

-- explains: the parts of a lab up to and with "The idea", and what a page for students says.
local function sections(page, title, blocks, out, language, explains)
    local hints, idea_ends = lab.words(language).hints, lab.words(language).film_ends
    local id, heading, text, in_idea = '', '', {}, false
    local function flush()
        if #text > 0 then
            out[#out + 1] = string.format('{"page":%s,"title":%s,"id":%s,"heading":%s,"language":%s,"hint":%s,"explains":%s,"text":%s}', quoted(page), quoted(title), quoted(id), quoted(heading),
                                          quoted(language or 'en'), heading == hints and 'true' or 'false', explains and 'true' or 'false',
                                          quoted(table.concat(text, ' ')))
        end
    end
    for _, block in ipairs(blocks) do
        if block.t == 'Header' then
            flush()
            id, heading, text = block.identifier, text_of(block.content), {}
            if block.level <= 2 then
                explains = explains and not in_idea
                in_idea = idea_ends[heading] == 'solution'
            end
        end
        if block.t ~= 'RawBlock' then text[#text + 1] = words(block) end
    end
    flush()
end

local function sorted(names)
    local list = pandoc.List()
    for name in names:gmatch('%S+') do list:insert(name) end
    list:sort()
    return list
end

function Pandoc(doc)
    local out = {}
    for _, name in ipairs(sorted(text_of(doc.meta.labs))) do
        local readme = pandoc.read(lab.read_file('labs/' .. name .. '/README.md'), lab.reader)
        local blocks, title = lab.handout(readme.blocks, { name = name, index = {}, href = function() end })
        sections(name, text_of(title), blocks, out, nil, true)
    end
    for _, page in ipairs(sorted(text_of(doc.meta.translations or ''))) do
        local name, language = lab.translation(page)
        local readme = pandoc.read(lab.read_file('labs/' .. name .. '/README.' .. language .. '.md'), lab.reader)
        local blocks, title = lab.handout(readme.blocks, { name = name, index = {}, href = function() end, language = language })
        sections(page, text_of(title), blocks, out, language, true)
    end
    for _, name in ipairs(sorted(text_of(doc.meta.pages))) do
        local blocks = lab.manual(name)
        local title = blocks:remove(1).content
        local _, language = lab.translation(name)
        sections(name, text_of(title), blocks, out, language, name:match('^student') ~= nil)
    end
    return pandoc.Pandoc({ pandoc.RawBlock('html', 'var SEARCH = [\n' .. table.concat(out, ',\n') .. '\n];') })
end
