-- slides: one lab's README.md -> slides for the lecture. The handout stays the only source.
--
-- A slide carries one thought and one picture: a figure of the handout, or the picture of a film. Its title says the thought, in a sentence: it is the
-- drawing's title, or the film's caption. The films come last, the solution's and then the mistake's. What the handout says between two pictures, and behind
-- the last one of a part, goes to the notes of the slide (key n), for who speaks. What students do at their desks (contract, steps, hints, questions, points) is
-- the handout's alone, but for its pictures.
--
-- docs/check/slides.pl holds the slides to this.

local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local lab = dofile(here .. '/lab.lua')
local text_of = pandoc.utils.stringify

local AT_THE_DESK = { ['The contract'] = true, Steps = true, ['How it is graded'] = true, ['Common mistakes, and what you will see'] = true,
    Hints = true, Questions = true, ['Further reading'] = true }
local NOTED = { Para = true, BulletList = true, OrderedList = true, Table = true, CodeBlock = true }

local function lone_image(block)
    return block.t == 'Para' and #block.content == 1 and block.content[1].t == 'Image' and block.content[1]
end

-- The caption of a film stands below its picture.
local function title_of(image, caption)
    if caption then return caption.content[1].content end
    return pandoc.Inlines(lab.figure_title(image.src) or text_of(image.caption))
end

-- The slides of a handout's blocks: a list of { title, picture, notes }, and such a list of films.
local function deck_of(blocks)
    local deck, films, notes, desk, caption = pandoc.List(), pandoc.List(), pandoc.List(), true, nil
    local function drop_notes() -- on the last slide, if there is one
        if #deck > 0 then
            deck[#deck].notes:extend(notes)
            notes = pandoc.List()
        end
    end
    for i, block in ipairs(blocks) do
        local image = lone_image(block)
        if block.t == 'Header' and block.level == 2 then
            drop_notes()
            desk = AT_THE_DESK[text_of(block.content)] or false
        elseif image and image.classes:includes('film') then
            caption = blocks[i + 1]
            films:insert({ title = title_of(image, caption), picture = block, notes = pandoc.List() })
        elseif image then -- a drawing
            deck:insert({ title = title_of(image), picture = block, notes = notes })
            notes = pandoc.List()
        elseif not desk and NOTED[block.t] and block ~= caption then
            notes:insert(block)
        end
    end
    drop_notes()
    return deck, films
end

local function html(text) return pandoc.RawBlock('html', text) end

local function put_slide(out, slide)
    out:insert(html('<section class="slide">'))
    out:insert(pandoc.Header(2, slide.title))
    out:insert(slide.picture)
    if #slide.notes > 0 then
        out:insert(html('<aside class="notes" aria-label="Notes" tabindex="0">'))
        out:extend(slide.notes)
        out:insert(html('</aside>'))
    end
    out:insert(html('</section>'))
end

function Pandoc(doc)
    local name = text_of(doc.meta.lab)
    local blocks, title, fields = lab.handout(doc.blocks, {
        name = name,
        index = lab.index(text_of(doc.meta.labs)),
        href = function(other) return other .. '-slides.html' end,
        films = doc.meta.films and text_of(doc.meta.films),
    })
    local out, deck, films = pandoc.List(), deck_of(blocks)
    for _, slide in ipairs(deck) do put_slide(out, slide) end
    for _, slide in ipairs(films) do put_slide(out, slide) end
    local meta = doc.meta
    meta.title = pandoc.MetaInlines(title)
    meta.pagetitle = text_of(title)
    meta.goal = text_of(fields.goal)
    meta.minutes = text_of(fields.minutes)
    meta.author = 'CUDA Lab Kit'
    meta.lang = meta.lang or 'en'
    return pandoc.Pandoc(out, meta)
end
