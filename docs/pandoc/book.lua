-- book: all labs as chapters of one book, for LaTeX and EPUB. The document that pandoc is given is the preface; the labs are
-- read here, each by the same steps as its handout.
--
--   -M labs="names of all labs" [-M films=folder]

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local lab = dofile(here .. '/lab.lua')
local text_of = pandoc.utils.stringify

local function anchor(name) return 'lab-' .. lab.number(name) end

function Pandoc(doc)
    local names = text_of(doc.meta.labs)
    local index, blocks = lab.index(names), doc.blocks
    local in_order = pandoc.List()
    for name in names:gmatch('%S+') do in_order:insert(name) end
    in_order:sort()
    for _, name in ipairs(in_order) do
        local readme = pandoc.read(lab.read_file('labs/' .. name .. '/README.md'), lab.reader)
        local chapter, title = lab.handout(readme.blocks, {
            name = name,
            index = index,
            href = function(other) return '#' .. anchor(other) end,
            paper = true,
            prefix = anchor(name) .. '-',
            films = doc.meta.films and text_of(doc.meta.films),
        })
        blocks:insert(pandoc.Header(1, title, { id = anchor(name) }))
        blocks:extend(chapter)
    end
    doc.meta.pagetitle = text_of(doc.meta.title)
    return pandoc.Pandoc(blocks, doc.meta)
end
