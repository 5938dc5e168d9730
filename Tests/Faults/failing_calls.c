/* Preloaded: the n-th call on a file of the database fails, and with FAILING_FOR_GOOD every later one as well.
   FAILING_CALL=n counts from 1; FAILING_ERROR is an errno; FAILING_COUNT names a file that gets the number of calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int is_database(int file) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "/holdfast.db") != NULL;
}

static int fails(int file) {
    if (!is_database(file)) return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    const char *count = getenv("FAILING_COUNT");
    if (count) {
        FILE *out = fopen(count, "w");
        if (out) {
            fprintf(out, "%ld\n", number);
            fclose(out);
        }
    }
    const char *call = getenv("FAILING_CALL");
    long first = call ? atol(call) : 0;
    if (first == 0 || number < first || (number > first && !getenv("FAILING_FOR_GOOD"))) return 0;
    const char *error = getenv("FAILING_ERROR");
    errno = error ? atoi(error) : EIO;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pread64(int file, void *bytes, size_t count, off64_t place) {
    return fails(file) ? -1 : NEXT(pread64)(file, bytes, count, place);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
    return fails(file) ? -1 : NEXT(pwrite64)(file, bytes, count, place);
}

int ftruncate64(int file, off64_t size) { return fails(file) ? -1 : NEXT(ftruncate64)(file, size); }
int fsync(int file) { return fails(file) ? -1 : NEXT(fsync)(file); }
int fdatasync(int file) { return fails(file) ? -1 : NEXT(fdatasync)(file); }
