/* What the readers of common/profile share. */
#ifndef COMMON_PROFILE_PROFILE_INTERNAL_H
#define COMMON_PROFILE_PROFILE_INTERNAL_H

#include "common/base/csv.h"
#include "common/profile/profile.h"

/* Counts a launch: `launch` becomes the one that is shown of its kernel when none was longer. */
Status profile_add_launch(Profile *profile, const ProfileKernel *launch, Diag *diag);

/* Adds count, time and bytes to the operation of that name; NAN bytes leave them as they are. */
Status profile_add_operation(Profile *profile, const ProfileOperation *operation, Diag *diag);

/* A number as the profilers print it, with or without commas between thousands; NAN for anything else. */
double profile_number(const char *text);

#endif
