/* What the files of the gradebook share. */
#ifndef GRADER_DB_GRADEBOOK_INTERNAL_H
#define GRADER_DB_GRADEBOOK_INTERNAL_H

#include "grader/db/gradebook.h"

#include <sqlite3.h>

struct Gradebook {
    sqlite3 *db;
};

#endif
