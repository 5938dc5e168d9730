/* What fails, and when: the n-th time, and with FAILING_FOR_GOOD every later time as well.
   FAILING_CALL=n counts from 1; 0: none fails. FAILING_COUNT names a file that gets how often there was a chance, as text. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT_BYTES 24

static atomic_long chances;
static long first_failing;
static int fails_for_good;
/* Mapped, so that it is whole however the process ends. */
static char *shown_count;

static void read_failing(void) {
    const char *call = getenv("FAILING_CALL"), *count = getenv("FAILING_COUNT");
    first_failing = call ? atol(call) : 0;
    fails_for_good = getenv("FAILING_FOR_GOOD") != NULL;
    int file = count ? open(count, O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0) return;
    if (ftruncate(file, COUNT_BYTES) == 0) {
        void *memory = mmap(NULL, COUNT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED) {
            shown_count = memory;
            memset(shown_count, ' ', COUNT_BYTES);
            shown_count[0] = '0';
        }
    }
    close(file);
}

/* Counts a chance, and whether it is one that fails. */
static int is_failing(void) {
    long number = atomic_fetch_add(&chances, 1) + 1;
    if (shown_count) {
        char digits[COUNT_BYTES + 1];
        int length = snprintf(digits, sizeof digits, "%ld", number);
        memcpy(shown_count, digits, (size_t)length);
    }
    return first_failing > 0 && (number == first_failing || (number > first_failing && fails_for_good));
}
