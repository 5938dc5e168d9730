/* Preloaded: fsync and fdatasync do not return while the file that SLOW_FSYNC names is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(void) {
    const char *path = getenv("SLOW_FSYNC");
    struct timespec pause = {.tv_nsec = 2000000};
    while (path && access(path, F_OK) == 0) nanosleep(&pause, NULL);
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_disk();
    return next(file);
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_disk();
    return next(file);
}
