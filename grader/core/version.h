/* version: the kit's version, as it stands in every result. */
#ifndef GRADER_CORE_VERSION_H
#define GRADER_CORE_VERSION_H

#define KIT_VERSION "0.1.0"

#endif
