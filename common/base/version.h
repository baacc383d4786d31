/* version: the kit's version, as it stands in every result and as every command says it. */
#ifndef COMMON_BASE_VERSION_H
#define COMMON_BASE_VERSION_H

#define KIT_VERSION "0.1.0"

#endif
