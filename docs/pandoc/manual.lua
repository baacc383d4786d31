-- manual: a page of docs/ -> a page of the site: its first heading is the title, links to other pages lead to their HTML, and
-- comments (for `make check-docs`, `make starters`) are dropped.
--
--   -M pages="names of the pages, without .md" -M labs="names of all labs" [-M language=zh-CN -M translated="labs that have this language"]

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local lab = dofile(here .. '/lab.lua')
local text_of = pandoc.utils.stringify

function Pandoc(doc)
    local pages, index, title = {}, lab.index(text_of(doc.meta.labs)), doc.meta.title
    for name in text_of(doc.meta.pages):gmatch('%S+') do pages[name] = true end
    local blocks = doc.blocks:filter(function(block) return not (block.t == 'RawBlock' and block.text:match('^%s*<!%-%-')) end)
    if blocks[1] and blocks[1].t == 'Header' and blocks[1].level == 1 then
        title = pandoc.MetaInlines(blocks:remove(1).content)
    end
    blocks = pandoc.Blocks(blocks):walk({
        CodeBlock = lab.code_block,
        Link = function(link)
            local name, anchor = link.target:match('^([%w-]+)%.md(#?.*)$')
            if name and not pages[name] then return link.content end -- a page that students do not get
            if name then link.target = name .. '.html' .. anchor end
            local translated = link.target:match('^([%w-]+%.%a%a%-%a%a)%.md$')
            if translated and pages[translated] then link.target = translated .. '.html' end
            local lab_name = link.target:match('^%.%./labs/([%w-]+)/README%.md$')
            if lab_name and index[lab.number(lab_name)] then link.target = lab_name .. '.html' end
            return link
        end,
    })
    local language = doc.meta.language and text_of(doc.meta.language)
    blocks = lab.for_screen(blocks, lab.words(language))
    local meta = doc.meta
    meta.title = title
    meta.pagetitle = text_of(title)
    meta.author = 'CUDA Lab Kit'
    meta.lang = meta.lang or 'en'
    local translated = ' ' .. text_of(doc.meta.translated or '') .. ' '
    lab.set_navigation(meta, nil, function(name) return name .. (language and translated:find(' ' .. name .. ' ', 1, true) and '.' .. language or '') .. '.html' end, language)
    return pandoc.Pandoc(blocks, meta)
end
