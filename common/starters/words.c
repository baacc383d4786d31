/* words: see words.h. */
#include "common/starters/words.h"

#include <string.h>

static const char *const names[N_HINT_LANGUAGES] = {[HINT_ENGLISH] = "en", [HINT_CHINESE] = "zh-CN"};

static const char *const texts[N_WORDS][N_HINT_LANGUAGES] = {
#define WORD(name, english, chinese) [WORD_##name] = {[HINT_ENGLISH] = english, [HINT_CHINESE] = chinese},
#include "common/starters/words.def"
#undef WORD
};

const char *words_language_name(HintLanguage language)
{
    return names[language];
}

bool words_find_language(const char *name, HintLanguage *language)
{
    *language = HINT_ENGLISH;
    for (int i = 0; name && i < N_HINT_LANGUAGES; i++)
        if (strcmp(names[i], name) == 0) {
            *language = (HintLanguage)i;
            return true;
        }
    return false;
}

const char *words_text(HintLanguage language, Word word)
{
    return texts[word][language];
}
