// Files of the repository that are built into the program: what browsers get (`sdk` is what Clients/Web/build makes), the
// migrations, and the configuration of a sandbox with what it names.
#ifndef CBUILTINFILES_H
#define CBUILTINFILES_H

#include <stddef.h>

typedef struct {
    // Such as "sdk/holdfast.js" and "migrations/0001_sessions.sql".
    const char *path;
    const unsigned char *bytes;
    size_t count;
    // The same in gzip; NULL where there is no such copy.
    const unsigned char *compressed;
    size_t compressed_count;
} cbuiltinfiles_file;

// NULL behind the last.
const cbuiltinfiles_file *cbuiltinfiles_at(int index);

#endif
