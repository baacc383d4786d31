/* language: what students read, in the languages that a lab's texts may be in.
 *
 * English stands in the code, and is the key: language_say() gives the sentence that says the same in another
 * language, or the English where there is none. There is one table per language (language_zh_cn.def). A
 * language is named as in HTML ("en", "zh-CN").
 *
 * A lab has another language when there is a lab.LANGUAGE.yaml beside its lab.yaml, with `lang: LANGUAGE`,
 * the texts of lab.yaml and nothing else. Which one a student gets is said by KIT_LANG alone, never by the
 * locale; a lab without texts in it speaks English throughout. What a class's grading writes is always
 * English.
 */
#ifndef COMMON_BASE_LANGUAGE_H
#define COMMON_BASE_LANGUAGE_H

#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum Language { LANGUAGE_ENGLISH, LANGUAGE_CHINESE, N_LANGUAGES } Language;

/* "en", "zh-CN". */
const char *language_name(Language language);

/* The language of a name; false (and English) for one that the kit does not know, and for NULL or "". */
bool language_find(const char *name, Language *language);

/* The sentence in that language. A format's other version takes the same values. */
const char *language_say(Language language, const char *english) __attribute__((format_arg(2)));

/* Appends what a sentence of the virtual GPU says in that language, with its values (findings_zh_cn.def); false, and nothing, when no row has it. */
bool language_fill(Language language, const char *english, size_t length, StrBuf *out);

/* Appends lines of such sentences: behind a place and a kind ("a.cu:12:5: race: ") too. What no row has stays as it is. */
void language_put_lines(Language language, const char *text, StrBuf *out);


#endif
