/* Preloaded: fsync and fdatasync fail with EIO while the file that FAILING_FSYNC names is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int fails(void) {
    const char *path = getenv("FAILING_FSYNC");
    if (!path || access(path, F_OK) != 0) return 0;
    errno = EIO;
    return 1;
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return fails() ? -1 : next(file);
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return fails() ? -1 : next(file);
}
