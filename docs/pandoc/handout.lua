-- handout: one lab's README.md -> its handout.
--
--   -M lab=NN-name -M labs="names of all labs" [-M edition=solutions]

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local lab = dofile(here .. '/lab.lua')
local text_of = pandoc.utils.stringify

function Pandoc(doc)
    local name = text_of(doc.meta.lab)
    local paper = FORMAT:match('latex') ~= nil
    local solutions = doc.meta.edition ~= nil
    local blocks, title, fields = lab.handout(doc.blocks, {
        name = name,
        solutions = solutions,
        index = lab.index(text_of(doc.meta.labs)),
        paper = paper,
        raise = paper and 1 or 0,
        -- Sheets of paper lie apart: only pages on a screen link to one another.
        href = function(other) return not paper and other .. '.html' or nil end,
    })
    local meta = doc.meta
    meta.title = pandoc.MetaInlines(title)
    meta.pagetitle = text_of(title)
    meta.author = 'CUDA Lab Kit'
    meta.lang = meta.lang or 'en'
    meta.description = text_of(fields.goal)
    if solutions then meta.subtitle = 'Instructor\'s edition, with solutions: not for students' end
    return pandoc.Pandoc(blocks, meta)
end
