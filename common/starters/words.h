/* words: the kit's own sentences around hints, in the languages that a lab's texts may be in.
 *
 * A language is named as in HTML ("en", "zh-CN"). English is the default and always there; a lab has another
 * one when there is a lab.LANGUAGE.yaml beside its lab.yaml, with `lang: LANGUAGE`, the texts of lab.yaml and
 * nothing else. Which one a student gets is said by KIT_LANG alone, never by the locale.
 */
#ifndef COMMON_STARTERS_WORDS_H
#define COMMON_STARTERS_WORDS_H

#include <stdbool.h>

typedef enum HintLanguage { HINT_ENGLISH, HINT_CHINESE, N_HINT_LANGUAGES } HintLanguage;

typedef enum Word {
#define WORD(name, english, chinese) WORD_##name,
#include "common/starters/words.def"
#undef WORD
    N_WORDS
} Word;

/* "en", "zh-CN". */
const char *words_language_name(HintLanguage language);

/* The language of a name; false (and English) for one that the kit does not know, and for NULL or "". */
bool words_find_language(const char *name, HintLanguage *language);

const char *words_text(HintLanguage language, Word word);

#endif
