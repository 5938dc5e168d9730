// Files of the repository that are built into the program: those for browsers (`sdk` is built by Clients/Web/build),
// the migrations, and the configuration of a sandbox with its files.
#ifndef CBUILTINFILES_H
#define CBUILTINFILES_H

#include <stddef.h>

typedef struct {
    // Such as "sdk/holdfast.js" and "migrations/0001_sessions.sql".
    const char *path;
    const unsigned char *bytes;
    size_t count;
    // The same in gzip; NULL: there is no such copy.
    const unsigned char *compressed;
    size_t compressed_count;
} cbuiltinfiles_file;

// NULL after the last one.
const cbuiltinfiles_file *cbuiltinfiles_at(int index);

#endif
