// Clocks, sleep, random bytes, Dispatch, tasks of Swift and threads.
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static bool has_begun;

// MARK: Clocks and sleep

// A look at the clock takes a moment: who goes round until a time has come gets there.
static const uint64_t look_ns = 40;

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!has_begun || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) {
        if (!real) real = machine_real("clock_gettime");
        return real(clock, time);
    }
    machine_spend(look_ns);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        int64_t wall = machine_wall_ms();
        *time = (struct timespec){.tv_sec = wall / 1000, .tv_nsec = wall % 1000 * 1000000};
    } else {
        uint64_t now = machine_now();
        *time = (struct timespec){.tv_sec = now / 1000000000u, .tv_nsec = now % 1000000000u};
    }
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}

int nanosleep(const struct timespec *wanted, struct timespec *rest) {
    (void)rest;
    machine_sleep((uint64_t)wanted->tv_sec * 1000000000u + (uint64_t)wanted->tv_nsec);
    return 0;
}

int usleep(useconds_t microseconds) {
    machine_sleep((uint64_t)microseconds * 1000);
    return 0;
}

// MARK: Random bytes

int getentropy(void *bytes, size_t count) {
    machine_fill_random(bytes, count);
    return 0;
}

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    (void)flags;
    machine_fill_random(bytes, count);
    return (ssize_t)count;
}

static int openssl_bytes(unsigned char *bytes, int count) {
    machine_fill_random(bytes, (size_t)count);
    return 1;
}
static int openssl_status(void) { return 1; }

// RAND_METHOD of OpenSSL. With it signatures too are the same each time.
typedef struct {
    int (*seed)(const void *, int);
    int (*bytes)(unsigned char *, int);
    void (*cleanup)(void);
    int (*add)(const void *, int, double);
    int (*pseudorand)(unsigned char *, int);
    int (*status)(void);
} Randomness;
extern int RAND_set_rand_method(const Randomness *);
static const Randomness randomness = {.bytes = openssl_bytes, .pseudorand = openssl_bytes, .status = openssl_status};

// MARK: Dispatch

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
typedef struct { void *isa; int flags, reserved; void (*invoke)(void *); } Block;

static void call_block(void *context) {
    Block *block = context;
    block->invoke(block);
    _Block_release(block);
}

static Lane *lane_of_queue(void *queue) {
    const char *(*label)(void *) = machine_real("dispatch_queue_get_label");
    return machine_lane_of(queue, label(queue));
}

void dispatch_async(void *queue, void *block) { machine_add(lane_of_queue(queue), call_block, _Block_copy(block)); }

// The monotonic moment of a `dispatch_time_t`: of its two highest bits 11 is the clock on the wall, 10 and 0x are monotonic.
static uint64_t moment(uint64_t when) {
    if (when == ~(uint64_t)0) return FOREVER;
    if (when >> 62 == 3) {
        int64_t ahead = (int64_t)(0 - when) - machine_wall_ms() * 1000000;
        return ahead > 0 ? machine_now() + (uint64_t)ahead : machine_now();
    }
    return when & ~((uint64_t)1 << 63);
}

static void add_later(void *queue, uint64_t when, void (*run)(void *), void *context) {
    if (machine_lane && machine_lane->is_gone) return;
    machine_add_later(lane_of_queue(queue), moment(when), run, context);
}

void dispatch_after(uint64_t when, void *queue, void *block) { add_later(queue, when, call_block, _Block_copy(block)); }
void dispatch_after_f(uint64_t when, void *queue, void *context, void (*run)(void *)) {
    add_later(queue, when, run, context);
}

void dispatch_async_f(void *queue, void *context, void (*run)(void *)) {
    machine_add(lane_of_queue(queue), run, context);
}

void dispatch_assert_queue(void *queue) {
    if (machine_lane && machine_lane->queue == queue) return;
    fprintf(stderr, "simulation: work on the wrong queue\n");
    abort();
}

// Asks a thread of Dispatch itself, and no lane needs it.
void dispatch_queue_set_width(void *queue, long width) { (void)queue, (void)width; }

// Sources of two kinds: descriptors that can be read, which loops wait for, and timers, by which tasks sleep.
enum { MOST_SOURCES = 4096 };
typedef struct {
    void *source, *queue, *handler, *cancel, *context;
    void (*run)(void *);
    int descriptor;
    uint64_t at;
} Source;
static Source sources[MOST_SOURCES];

static Source *source_of(const void *source) {
    for (int i = 0; i < MOST_SOURCES; i++) {
        if (sources[i].source == source) return &sources[i];
    }
    return NULL;
}

void *dispatch_source_create(const void *type, uintptr_t handle, unsigned long mask, void *queue) {
    void *(*real)(const void *, uintptr_t, unsigned long, void *) = machine_real("dispatch_source_create");
    void *source = real(type, handle, mask, queue);
    Source *place = source_of(NULL);
    if (!has_begun || !place) return source;
    bool reads = type == dlsym(RTLD_DEFAULT, "_dispatch_source_type_read");
    *place = (Source){.source = source, .queue = queue, .descriptor = reads ? (int)handle : -1};
    return source;
}

void dispatch_source_set_event_handler(void *source, void *block) {
    Source *known = source_of(source);
    if (known) known->handler = _Block_copy(block);
}

void dispatch_source_set_event_handler_f(void *source, void (*run)(void *)) {
    Source *known = source_of(source);
    if (known) known->run = run;
}

void dispatch_set_context(void *object, void *context) {
    static void (*real)(void *, void *);
    Source *known = source_of(object);
    if (known) known->context = context;
    if (!real) real = machine_real("dispatch_set_context");
    real(object, context);
}

void dispatch_source_set_cancel_handler(void *source, void *block) {
    Source *known = source_of(source);
    if (known) known->cancel = _Block_copy(block);
}

void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    (void)interval, (void)leeway;
    Source *known = source_of(source);
    if (known) known->at = moment(start);
}

void dispatch_activate(void *object) {
    Source *known = source_of(object);
    if (!known) return;
    if (known->descriptor < 0) {
        if (!machine_lane || !machine_lane->is_gone) {
            machine_add_later(machine_pool(), known->at, known->run, known->context);
        }
        return;
    }
    Lane *lane = lane_of_queue(known->queue);
    lane->source_descriptor = known->descriptor;
    lane->source_handler = known->handler;
}

void dispatch_resume(void *object) { dispatch_activate(object); }

void dispatch_source_cancel(void *source) {
    Source *known = source_of(source);
    if (!known || known->descriptor < 0) return;
    Lane *lane = lane_of_queue(known->queue);
    lane->source_handler = NULL;
    lane->source_descriptor = -1;
    if (known->cancel) machine_add(lane, call_block, known->cancel);
    known->cancel = NULL;
}

// The real source was never activated, and must not be released: it stays.
void dispatch_release(void *object) {
    static void (*real)(void *);
    Source *known = source_of(object);
    if (known) {
        if (known->descriptor < 0) known->source = NULL;
        return;
    }
    if (!real) real = machine_real("dispatch_release");
    real(object);
}

// MARK: Tasks of Swift

typedef __attribute__((swiftcall)) void (*Enqueue)(void *job);
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, Enqueue original);
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobalWithDelay_hook)(
    unsigned long long delay, void *job, void *original);
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long seconds, long long nanoseconds, long long tolerance, long long tolerance_ns, int clock, void *job,
    void *original);
typedef struct { void *identity, *implementation; } Executor;
extern __attribute__((swiftcall)) void swift_job_run(void *job, Executor executor);

static void run_job(void *job) { swift_job_run(job, (Executor){NULL, NULL}); }

static __attribute__((swiftcall)) void enqueue(void *job, Enqueue original) {
    (void)original;
    machine_add(machine_pool(), run_job, job);
}

static __attribute__((swiftcall)) void enqueue_with_delay(unsigned long long delay, void *job, void *original) {
    (void)original;
    if (machine_lane && machine_lane->is_gone) return;
    machine_add_later(machine_pool(), machine_now() + delay, run_job, job);
}

static __attribute__((swiftcall)) void enqueue_with_deadline(
    long long seconds, long long nanoseconds, long long tolerance, long long tolerance_ns, int clock, void *job,
    void *original) {
    (void)tolerance, (void)tolerance_ns, (void)clock, (void)original;
    if (machine_lane && machine_lane->is_gone) return;
    machine_add_later(machine_pool(), (uint64_t)(seconds * 1000000000ll + nanoseconds), run_job, job);
}

// MARK: Threads

typedef struct { void *(*run)(void *); void *context; } Start;

static void run_thread(void *context) {
    Start start = *(Start *)context;
    free(context);
    start.run(start.context);
}

int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*run)(void *), void *restrict context) {
    if (!has_begun || !machine_is_ours(__builtin_return_address(0))) {
        int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = machine_real("pthread_create");
        return real(thread, attributes, run, context);
    }
    Start *start = malloc(sizeof *start);
    *start = (Start){run, context};
    Lane *lane = machine_make_lane(NULL, "thread", true);
    machine_add(lane, run_thread, start);
    *thread = lane->thread;
    return 0;
}

int setpriority(__priority_which_t which, id_t who, int priority) {
    (void)which, (void)who, (void)priority;
    return 0;
}

void machine_install_hooks(void) {
    has_begun = true;
    RAND_set_rand_method(&randomness);
    swift_task_enqueueGlobal_hook = enqueue;
    swift_task_enqueueGlobalWithDelay_hook = enqueue_with_delay;
    swift_task_enqueueGlobalWithDeadline_hook = enqueue_with_deadline;
}
