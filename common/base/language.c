/* language: see language.h. */
#include "common/base/language.h"

#include <string.h>

typedef struct Sentence {
    const char *english, *other;
} Sentence;

static const char *const names[N_LANGUAGES] = {[LANGUAGE_ENGLISH] = "en", [LANGUAGE_CHINESE] = "zh-CN"};

static const Sentence chinese[] = {
#define X(english, other) {english, other},
#include "common/base/language_zh_cn.def"
#undef X
    {0},
};

static const Sentence *const tables[N_LANGUAGES] = {[LANGUAGE_CHINESE] = chinese};

const char *language_name(Language language)
{
    return names[language];
}

bool language_find(const char *name, Language *language)
{
    *language = LANGUAGE_ENGLISH;
    for (int i = 0; name && i < N_LANGUAGES; i++)
        if (strcmp(names[i], name) == 0) {
            *language = (Language)i;
            return true;
        }
    return false;
}

const char *language_say(Language language, const char *english)
{
    for (const Sentence *s = tables[language]; s && s->english; s++)
        if (strcmp(s->english, english) == 0)
            return s->other;
    return english;
}
