/* Preloaded: fsync and fdatasync take SLOW_FSYNC_MS milliseconds longer, as on a slow disk. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait(void) {
    const char *text = getenv("SLOW_FSYNC_MS");
    long milliseconds = text ? atol(text) : 0;
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    if (milliseconds > 0) nanosleep(&time, NULL);
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait();
    return next(file);
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait();
    return next(file);
}
