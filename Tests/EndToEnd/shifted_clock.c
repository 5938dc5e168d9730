/* Preloaded: the wall clock is ahead by the seconds in the file that SHIFTED_CLOCK names, 8 bytes that may change. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int64_t seconds_ahead(void) {
    static const volatile int64_t none = 0;
    static const volatile int64_t *shared;
    if (!shared) {
        const char *path = getenv("SHIFTED_CLOCK");
        int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *shared, PROT_READ, MAP_SHARED, file, 0);
        shared = mapped == MAP_FAILED ? &none : mapped;
        if (file >= 0) close(file);
    }
    return *shared;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += seconds_ahead();
    return result;
}
