#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

_Thread_local Lane *machine_lane;
machine_figures machine_count;
machine_faults machine_wrong;

static Lane *lanes, *last_lane;
static int lane_count;
static sem_t back;
static bool has_ended;
static uint64_t now_ns;
static int64_t wall_offset_ms;
static uint32_t preemption;
static uint64_t longest_pause_ns = 1;
static Lane *pool;

// MARK: Random numbers

typedef struct { uint64_t state; } Stream;
static Stream scheduling, world, disk, entropy;

static uint64_t next(Stream *stream) {
    uint64_t word = (stream->state += 0x9E3779B97F4A7C15u);
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

uint64_t machine_draw(uint64_t bound) { return next(&scheduling) % bound; }
uint64_t machine_draw_disk(uint64_t bound) { return next(&disk) % bound; }
uint64_t machine_random(void) { return next(&world); }

void machine_fill_random(void *bytes, size_t count) {
    unsigned char *to = bytes;
    while (count > 0) {
        uint64_t word = next(&entropy);
        size_t part = count < 8 ? count : 8;
        memcpy(to, &word, part);
        to += part;
        count -= part;
    }
}

// MARK: The trace

enum { KEPT_LINES = 400, LINE = 240 };
static char kept[KEPT_LINES][LINE];
static uint64_t trace_lines, trace_hash = 0xCBF29CE484222325u;
static bool prints;

void machine_print_trace(bool on) { prints = on; }
uint64_t machine_trace_hash(void) { return trace_hash; }
uint64_t machine_trace_lines(void) { return trace_lines; }

void machine_note(const char *line) {
    char *to = kept[trace_lines % KEPT_LINES];
    snprintf(to, LINE, "%llu.%06llu %s", (unsigned long long)(now_ns / 1000000000u),
             (unsigned long long)(now_ns / 1000 % 1000000), line);
    for (const char *at = to; *at; at++) trace_hash = (trace_hash ^ (unsigned char)*at) * 0x100000001B3u;
    trace_lines++;
    if (prints) fprintf(stderr, "%s\n", to);
}

void machine_notef(const char *format, ...) {
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    machine_note(line);
}

const char *machine_trace_line(size_t index) {
    uint64_t first = trace_lines > KEPT_LINES ? trace_lines - KEPT_LINES : 0;
    return first + index < trace_lines ? kept[(first + index) % KEPT_LINES] : NULL;
}

// MARK: Time

uint64_t machine_now(void) { return now_ns; }
int64_t machine_wall_ms(void) { return wall_offset_ms + (int64_t)(now_ns / 1000000); }

void machine_step_wall(int64_t milliseconds) {
    wall_offset_ms += milliseconds;
    machine_notef("the clock steps by %lld ms", (long long)milliseconds);
}

void machine_spend(uint64_t nanoseconds) { now_ns += nanoseconds; }

// MARK: Lanes

static void *run_lane(void *context) {
    Lane *lane = context;
    machine_lane = lane;
    for (;;) {
        while (sem_wait(&lane->go) != 0) {}
        // Serial queues keep their order; the pool has threads enough to begin with any of the first few.
        Item **at = &lane->first, *before = NULL;
        if (lane->is_pool && lane->count > 1) {
            uint64_t skip = machine_draw(lane->count < 4 ? lane->count : 4);
            while (skip-- > 0) {
                before = *at;
                at = &(*at)->next;
            }
        }
        Item *item = *at;
        if (item) {
            *at = item->next;
            if (lane->last == item) lane->last = before;
            lane->count--;
            item->run(item->context);
            free(item);
        }
        lane->state = LANE_FREE;
        sem_post(&back);
    }
    return NULL;
}

Lane *machine_make_lane(void *queue, const char *name, bool of_server) {
    Lane *lane = calloc(1, sizeof *lane);
    lane->number = lane_count++;
    snprintf(lane->name, sizeof lane->name, "%s", name);
    lane->queue = queue;
    lane->of_server = of_server;
    lane->source_descriptor = -1;
    sem_init(&lane->go, 0, 0);
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = machine_real("pthread_create");
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, of_server ? 8u << 20 : 1u << 20);
    if (create(&lane->thread, &attributes, run_lane, lane) != 0) {
        fprintf(stderr, "simulation: no thread for %s\n", name);
        abort();
    }
    pthread_attr_destroy(&attributes);
    if (last_lane) last_lane->next = lane;
    else lanes = lane;
    last_lane = lane;
    return lane;
}

Lane *machine_lane_of(void *queue, const char *name) {
    for (Lane *lane = lanes; lane; lane = lane->next) {
        if (lane->queue == queue && !lane->is_gone) return lane;
    }
    return machine_make_lane(queue, name, true);
}

Lane *machine_pool(void) {
    if (!pool || pool->is_gone) {
        pool = machine_make_lane(NULL, "tasks", true);
        pool->is_pool = true;
    }
    return pool;
}

void machine_add(Lane *lane, void (*run)(void *), void *context) {
    // What a server does after its end is no part of the world any more.
    if (machine_lane && machine_lane->is_gone) return;
    Item *item = malloc(sizeof *item);
    *item = (Item){.run = run, .context = context};
    if (lane->last) lane->last->next = item;
    else lane->first = item;
    lane->last = item;
    lane->count++;
}

typedef struct Later {
    struct Later *next;
    uint64_t at;
    Lane *lane;
    void (*run)(void *);
    void *context;
} Later;
static Later *later;

void machine_add_later(Lane *lane, uint64_t at, void (*run)(void *), void *context) {
    Later *entry = malloc(sizeof *entry), **place = &later;
    while (*place && (*place)->at <= at) place = &(*place)->next;
    *entry = (Later){.next = *place, .at = at, .lane = lane, .run = run, .context = context};
    *place = entry;
}

static void add_due(void) {
    while (later && later->at <= now_ns) {
        Later *entry = later;
        later = entry->next;
        if (!entry->lane->is_gone) machine_add(entry->lane, entry->run, entry->context);
        free(entry);
    }
    machine_fire_timers();
}

// The lane stops here until the scheduler lets it go on.
static void stop_here(Lane *lane) {
    sem_post(&back);
    while (sem_wait(&lane->go) != 0) {}
    lane->state = LANE_RUNNING;
}

void machine_sleep(uint64_t nanoseconds) {
    Lane *lane = machine_lane;
    if (!lane) {
        now_ns += nanoseconds;
        return;
    }
    lane->state = LANE_SLEEPS;
    lane->wake_at = now_ns + nanoseconds;
    stop_here(lane);
}

bool machine_wait_readable(int socket, uint64_t deadline) {
    Lane *lane = machine_lane;
    struct pollfd one = {.fd = socket, .events = POLLIN};
    if (poll(&one, 1, 0) > 0) return true;
    if (deadline <= now_ns) return false;
    lane->state = LANE_READS;
    lane->socket = socket;
    lane->wake_at = deadline;
    stop_here(lane);
    return poll(&one, 1, 0) > 0;
}

void machine_give_way(void) {
    Lane *lane = machine_lane;
    if (!lane || !lane->of_server || preemption == 0 || machine_draw(65536) >= preemption) return;
    machine_count.preemptions++;
    lane->state = LANE_SLEEPS;
    // Half of the time for a moment, else for as long as a system that is busy takes.
    lane->wake_at = now_ns + (machine_draw(2) ? machine_draw(20000) : machine_draw(longest_pause_ns));
    stop_here(lane);
}

void machine_set_preemption(uint32_t probability, uint64_t longest_ns) {
    preemption = probability;
    longest_pause_ns = longest_ns + 1;
}

void machine_spawn(const char *name, void (*run)(void *), void *context) {
    machine_add(machine_make_lane(NULL, name, false), run, context);
}

// MARK: Locks

// A lane that stopped may hold a lock. Who wants it then waits in the scheduler, not in the kernel.
int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*real)(pthread_mutex_t *);
    if (!real) real = machine_real("pthread_mutex_lock");
    Lane *lane = machine_lane;
    if (!lane) return real(mutex);
    if (preemption > 0 && machine_is_ours(__builtin_return_address(0))) machine_give_way();
    while (pthread_mutex_trylock(mutex) == EBUSY) {
        lane->state = LANE_LOCKED;
        lane->lock = mutex;
        stop_here(lane);
    }
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    static int (*real)(pthread_mutex_t *);
    if (!real) real = machine_real("pthread_mutex_unlock");
    int result = real(mutex);
    if (machine_lane && preemption > 0 && machine_is_ours(__builtin_return_address(0))) machine_give_way();
    return result;
}

// MARK: The scheduler

enum { MOST_READY = 4096 };

static bool call_source(Lane *lane);

static void run_one(Lane *lane) {
    machine_count.steps++;
    // What a step costs. Small and uneven, so that no two lanes march in step.
    now_ns += 500 + machine_draw(8000);
    if (lane->state == LANE_FREE && !lane->first && !call_source(lane)) return;
    lane->state = LANE_RUNNING;
    sem_post(&lane->go);
    while (sem_wait(&back) != 0) {}
}

static void call_handler(void *handler) {
    struct { void *isa; int flags, reserved; void (*invoke)(void *); } *block = handler;
    block->invoke(block);
}

static bool call_source(Lane *lane) {
    if (lane->source_descriptor < 0 || !lane->source_handler) return false;
    machine_add(lane, call_handler, lane->source_handler);
    return true;
}

static Lane *ready[MOST_READY];
static struct pollfd polled[MOST_READY];
static Lane *polled_lanes[MOST_READY];

static int find_ready(uint64_t *earliest) {
    int count = 0, polls = 0;
    *earliest = later ? later->at : FOREVER;
    uint64_t timer = machine_next_timer();
    if (timer < *earliest) *earliest = timer;
    for (Lane *lane = lanes; lane; lane = lane->next) {
        if (lane->is_gone) continue;
        bool is_ready = false;
        switch (lane->state) {
        case LANE_FREE:
            is_ready = lane->first != NULL;
            if (!is_ready && lane->source_handler && polls < MOST_READY) {
                polled[polls] = (struct pollfd){.fd = lane->source_descriptor, .events = POLLIN};
                polled_lanes[polls++] = lane;
            }
            break;
        case LANE_READS:
            if (polls < MOST_READY) {
                polled[polls] = (struct pollfd){.fd = lane->socket, .events = POLLIN};
                polled_lanes[polls++] = lane;
            }
            // fallthrough
        case LANE_SLEEPS:
            is_ready = lane->wake_at <= now_ns;
            if (!is_ready && lane->wake_at < *earliest) *earliest = lane->wake_at;
            break;
        case LANE_LOCKED:
            if (pthread_mutex_trylock(lane->lock) == 0) {
                is_ready = true;
                int (*unlock)(pthread_mutex_t *) = machine_real("pthread_mutex_unlock");
                unlock(lane->lock);
            }
            break;
        case LANE_RUNNING: break;
        }
        if (is_ready && count < MOST_READY) ready[count++] = lane;
    }
    if (polls > 0 && poll(polled, polls, 0) > 0) {
        for (int i = 0; i < polls; i++) {
            bool is_known = false;
            if (!polled[i].revents) continue;
            for (int j = 0; j < count && !is_known; j++) is_known = ready[j] == polled_lanes[i];
            if (!is_known && count < MOST_READY) ready[count++] = polled_lanes[i];
        }
    }
    return count;
}

bool machine_run(void) {
    while (!has_ended) {
        uint64_t earliest;
        add_due();
        int count = find_ready(&earliest);
        if (count > 0) {
            run_one(ready[machine_draw(count)]);
        } else if (earliest >= FOREVER) {
            return false;
        } else {
            now_ns = earliest;
        }
    }
    return true;
}

void machine_end(void) { has_ended = true; }

// MARK: The end of a server

void machine_crash(enum machine_end_of_life how) {
    machine_notef("the server %s", how == MACHINE_KILLED ? "is killed" : "loses its power");
    for (Lane *lane = lanes; lane; lane = lane->next) {
        if (lane->of_server) lane->is_gone = true;
    }
    Later **place = &later;
    while (*place) {
        Later *entry = *place;
        if (entry->lane->is_gone) {
            *place = entry->next;
            free(entry);
        } else {
            place = &entry->next;
        }
    }
    machine_lose_descriptors();
    machine_crash_disk(how);
}

void machine_die(void) {
    machine_crash(MACHINE_KILLED);
    for (;;) stop_here(machine_lane);
}

machine_figures machine_get_figures(void) { return machine_count; }
void machine_set_faults(machine_faults faults) { machine_wrong = faults; }

// MARK: The beginning

void *machine_real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "simulation: no %s in the system\n", name);
        abort();
    }
    return found;
}

// Whether code of the program itself is there, and not of a library.
extern char __executable_start, etext;
bool machine_is_ours(const void *address) {
    return (const char *)address >= &__executable_start && (const char *)address < &etext;
}

void machine_settle(char **arguments) {
    bool again = false;
    int is = personality(0xFFFFFFFF);
    if (is >= 0 && !(is & ADDR_NO_RANDOMIZE) && personality(is | ADDR_NO_RANDOMIZE) >= 0) again = true;
    if (!getenv("SWIFT_DETERMINISTIC_HASHING")) {
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
        again = true;
    }
    if (again && !getenv("HOLDFAST_SIMULATION_SETTLED")) {
        setenv("HOLDFAST_SIMULATION_SETTLED", "1", 1);
        execv("/proc/self/exe", arguments);
    }
}

void machine_begin(uint64_t seed, int64_t wall_ms, const char *folder) {
    scheduling.state = seed * 4 + 1;
    world.state = seed * 4 + 2;
    disk.state = seed * 4 + 3;
    entropy.state = seed * 4 + 4;
    for (int i = 0; i < 8; i++) next(&scheduling), next(&world), next(&disk), next(&entropy);
    now_ns = 1000000000000u;
    wall_offset_ms = wall_ms - (int64_t)(now_ns / 1000000);
    sem_init(&back, 0, 0);
    machine_disk_begin(folder);
    machine_install_hooks();
}
