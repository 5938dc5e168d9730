// The files that browsers get, built into the program: `sdk` is what Clients/Web/build makes.
#ifndef CWEBFILES_H
#define CWEBFILES_H

#include <stddef.h>

typedef struct {
    // Such as "sdk/holdfast.js".
    const char *path;
    const unsigned char *bytes;
    size_t count;
    // The same in gzip; NULL where there is no such copy.
    const unsigned char *compressed;
    size_t compressed_count;
} cwebfiles_file;

// NULL behind the last.
const cwebfiles_file *cwebfiles_at(int index);

#endif
