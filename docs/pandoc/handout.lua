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
    -- Sheets of paper lie apart: only pages on a screen link to one another.
    local function href(other)
        local suffix = language and translated:find(' ' .. other .. ' ', 1, true) and '.' .. language or ''
        return not paper and other .. suffix .. '.html' or nil
    end
    local blocks, title, fields = lab.handout(doc.blocks, {
        name = name,
        solutions = solutions,
        index = lab.index(text_of(doc.meta.labs)),
        paper = paper,
        raise = paper and 1 or 0,
        href = href,
        language = language,
        films = doc.meta.films and text_of(doc.meta.films),
        films_at = doc.meta.films_at and text_of(doc.meta.films_at),
    })
    if not paper then
        lab.films_folder = doc.meta.films and text_of(doc.meta.films)
        blocks = lab.for_screen(blocks, lab.words(language))
    end
    local meta = doc.meta
    meta.title = pandoc.MetaInlines(title)
    meta.pagetitle = text_of(title)
    meta.author = 'CUDA Lab Kit'
    meta.lang = meta.lang or 'en'
    meta.description = text_of(fields.goal)
    if not paper and not solutions then lab.set_navigation(meta, name, href, language) end
    if solutions then meta.subtitle = 'Instructor\'s edition, with solutions: not for students' end
    return pandoc.Pandoc(blocks, meta)
end
