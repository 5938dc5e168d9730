/* Preloaded: calls on a file of the database fail with FAILING_ERROR, an errno, at the times that failing.h names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>

#include "failing.h"

__attribute__((constructor)) static void begin(void) { read_failing(); }

static int is_database(int file) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "/holdfast.db") != NULL;
}

static int fails(int file) {
    if (!is_database(file) || !is_failing()) return 0;
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
