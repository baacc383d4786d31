/* roster: see roster.h. */
#include "grader/core/roster.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    bool is_name;
} columns[] = {
#define ROSTER(NAME, word, is_name, meaning) {word, is_name},
#include "grader/core/roster.def"
#undef ROSTER
};

const char *roster_column_word(RosterColumn column)
{
    return columns[column].word;
}

bool roster_column_is_name(RosterColumn column)
{
    return columns[column].is_name;
}

const RosterRow *roster_row(const Roster *roster, const char *student)
{
    for (size_t i = 0; roster && i < roster->n; i++)
        if (strcmp(roster->rows[i].cells[ROSTER_STUDENT], student) == 0)
            return &roster->rows[i];
    return NULL;
}

const char *roster_name(const Roster *roster, const char *student)
{
    const RosterRow *row = roster_row(roster, student);
    return row ? row->cells[ROSTER_NAME] : "";
}

bool roster_is_dropped(const RosterRow *row)
{
    return strcmp(row->cells[ROSTER_DROPPED], "yes") == 0;
}

int64_t roster_extra_seconds(const Roster *roster, const char *student)
{
    const RosterRow *row = roster_row(roster, student);
    return row ? (int64_t)(strtod(row->cells[ROSTER_EXTRA_HOURS], NULL) * 3600) : 0;
}
