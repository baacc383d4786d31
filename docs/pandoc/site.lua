-- site: the front page: a table of the labs and a list of the manuals, behind the text of site.md.
--
--   -M pages="names of the pages of docs/" -M labs="names of all labs" -M translations="01-alpha.zh-CN, ... for a README.zh-CN.md"

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local lab = dofile(here .. '/lab.lua')
local text_of = pandoc.utils.stringify

local function plain(...) return { pandoc.Plain({ ... }) } end

local function sorted(names)
    local list = pandoc.List()
    for name in names:gmatch('%S+') do list:insert(name) end
    list:sort()
    return list
end

local function requires(fields)
    local out = pandoc.List()
    for i, item in ipairs(fields.requires or {}) do
        local name = text_of(item)
        if i > 1 then out:insert(pandoc.Str(', ')) end
        out:insert(pandoc.Link({ pandoc.Str(lab.number(name) or name) }, name .. '.html'))
    end
    return { pandoc.Plain(out) }
end

local function lab_row(name)
    local fields = lab.read_yaml('labs/' .. name .. '/lab.yaml')
    return { plain(pandoc.Str(lab.number(name))),
             plain(pandoc.Link(fields.title, name .. '.html')),
             plain(table.unpack(fields.goal)),
             plain(pandoc.Str(text_of(fields.minutes) .. '\u{a0}min')),
             requires(fields),
             plain(pandoc.Link({ pandoc.Str('slides') }, name .. '-slides.html'), pandoc.Str(', '), pandoc.Link({ pandoc.Str('PDF') }, name .. '.pdf')) }
end

-- What a paragraph begins with: its first sentence, and more while that is a short one.
local SHORT = 50
local function first_sentence(inlines)
    local out = pandoc.List()
    for i, inline in ipairs(inlines) do
        local next_one = inlines[i + 1]
        local chinese = inline.t == 'Str' and inline.text:match('^(.-。)')
        out:insert(chinese and pandoc.Str(chinese) or inline)
        local ends = inline.t == 'Str' and inline.text:match('[.?!]$') and (not next_one or next_one.t == 'Space' or next_one.t == 'SoftBreak')
        if chinese or (ends and #text_of(out) > SHORT) then break end
    end
    return out
end

-- What people come for, first; the rest by name.
local FIRST = { 'student', 'instructor', 'vgpu', 'security', 'design-choices' }
local function manuals_in_order(pages)
    local out = pandoc.List()
    for _, page in ipairs(FIRST) do if pages:includes(page) then out:insert(page) end end
    for _, page in ipairs(pages) do if not out:includes(page) then out:insert(page) end end
    return out
end

-- The page's title and what its first paragraph begins with.
local function page_item(name)
    local blocks = lab.manual(name)
    local title, first = blocks[1].content, nil
    for _, block in ipairs(blocks) do
        if block.t == 'Para' then first = block.content break end
    end
    local text = pandoc.List({ pandoc.Link(title, name .. '.html'), pandoc.Str(':'), pandoc.Space() })
    text:extend(pandoc.Inlines(first_sentence(first)):walk({ Link = function(link) return link.content end }))
    return { pandoc.Plain(text) }
end

-- What there is in other languages, each under its own name: manuals first, then labs.
local function translations(manuals, labs)
    local items, languages = {}, pandoc.List()
    local function add(page, item)
        local _, language = lab.translation(page)
        if not items[language] then
            items[language] = pandoc.List()
            languages:insert(language)
        end
        items[language]:insert(item)
    end
    for _, page in ipairs(manuals) do add(page, page_item(page)) end
    for _, page in ipairs(labs) do
        local name, language = lab.translation(page)
        local fields = lab.fields('labs/' .. name, language)
        local text = pandoc.List({ pandoc.Str(lab.number(name)), pandoc.Space(), pandoc.Link(fields.title, page .. '.html'), pandoc.Str(':'), pandoc.Space() })
        text:extend(fields.goal)
        add(page, { pandoc.Plain(text) })
    end
    local out = pandoc.List()
    for _, language in ipairs(languages) do
        out:insert(pandoc.Header(2, { pandoc.Str(lab.words(language).pages) }, { id = language, lang = language }))
        out:insert(pandoc.Div({ pandoc.BulletList(items[language]) }, { lang = language }))
    end
    return out
end

function Pandoc(doc)
    local heads = pandoc.List({ 'no.', 'lab', 'goal', 'time', 'after lab', 'to print' }):map(function(h) return plain(pandoc.Str(h)) end)
    local aligns, widths = pandoc.List(heads):map(function() return 'AlignLeft' end), pandoc.List(heads):map(function() return 0 end)
    doc.blocks:insert(pandoc.Header(2, { pandoc.Str('Labs') }, { id = 'labs' }))
    for _, part in ipairs(lab.parts(text_of(doc.meta.labs))) do
        local labs = pandoc.utils.from_simple_table(pandoc.SimpleTable({}, aligns, widths, heads, part.labs:map(lab_row)))
        doc.blocks:insert(pandoc.Header(3, { pandoc.Str(part.name) }))
        doc.blocks:insert(pandoc.Div({ labs }, { class = 'labs' }))
    end
    doc.blocks:insert(pandoc.Header(2, { pandoc.Str('Manuals') }, { id = 'manuals' }))
    local pages = sorted(text_of(doc.meta.pages))
    doc.blocks:insert(pandoc.BulletList(manuals_in_order(pages:filter(function(page) return not lab.translation(page) end)):map(page_item)))
    doc.blocks:extend(translations(pages:filter(function(page) return lab.translation(page) ~= nil end), sorted(text_of(doc.meta.translations or ''))))
    doc.blocks = lab.for_screen(doc.blocks, lab.words())
    lab.set_navigation(doc.meta, nil, function(name) return name .. '.html' end)
    doc.meta.pagetitle = text_of(doc.meta.title)
    return doc
end
