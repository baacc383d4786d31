-- handout: one lab's README.md -> its handout.
--
--   -M lab=NN-name -M labs="names of all labs" [-M films=folder [-M films_at=its address]] [-M edition=solutions] [-M language=zh-CN -M translated="labs that have this language"]

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local lab = dofile(here .. '/lab.lua')
local text_of = pandoc.utils.stringify

function Pandoc(doc)
    local name = text_of(doc.meta.lab)
    local paper = FORMAT:match('latex') ~= nil
    local language = doc.meta.language and text_of(doc.meta.language)
    local translated = ' ' .. text_of(doc.meta.translated or '') .. ' '
    local solutions = doc.meta.edition ~= nil
    local blocks, title, fields = lab.handout(doc.blocks, {
        name = name,
        solutions = solutions,
        index = lab.index(text_of(doc.meta.labs)),
        paper = paper,
        raise = paper and 1 or 0,
        -- Sheets of paper lie apart: only pages on a screen link to one another.
        href = function(other)
            local suffix = language and translated:find(' ' .. other .. ' ', 1, true) and '.' .. language or ''
            return not paper and other .. suffix .. '.html' or nil
        end,
        language = language,
        films = doc.meta.films and text_of(doc.meta.films),
        films_at = doc.meta.films_at and text_of(doc.meta.films_at),
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
