#ifndef HOLDFAST_MACHINE_INTERNAL_H
#define HOLDFAST_MACHINE_INTERNAL_H

#include "Machine.h"

#include <pthread.h>
#include <semaphore.h>

enum { FOREVER_BITS = 63 };
#define FOREVER ((uint64_t)1 << FOREVER_BITS)

// One piece of work for a lane.
typedef struct Item {
    void (*run)(void *context);
    void *context;
    struct Item *next;
} Item;

typedef enum {
    LANE_FREE,      // has nothing at hand; may have items
    LANE_RUNNING,
    LANE_SLEEPS,    // until `wake_at`
    LANE_READS,     // until `socket` can be read, or `wake_at`
    LANE_LOCKED,    // until `lock` can be had
} LaneState;

typedef struct Lane {
    struct Lane *next;
    int number;
    char name[24];
    // A queue of Dispatch; NULL for the pool of Swift and for callers.
    void *queue;
    bool is_pool, is_gone, of_server;
    LaneState state;
    uint64_t wake_at;
    int socket;
    pthread_mutex_t *lock;
    Item *first, *last;
    int count;
    // A source of Dispatch on this queue, and what it calls when the descriptor can be read.
    int source_descriptor;
    void *source_handler;
    sem_t go;
    pthread_t thread;
} Lane;

extern _Thread_local Lane *machine_lane;
extern machine_figures machine_count;
extern machine_faults machine_wrong;

Lane *machine_lane_of(void *queue, const char *name);
Lane *machine_pool(void);
Lane *machine_make_lane(void *queue, const char *name, bool of_server);
void machine_add(Lane *lane, void (*run)(void *), void *context);
void machine_add_later(Lane *lane, uint64_t at, void (*run)(void *), void *context);
void machine_give_way(void);
void machine_lose_descriptors(void);
void machine_crash_disk(enum machine_end_of_life how);
void machine_disk_begin(const char *folder);
// The earliest time at which a timer descriptor has to fire, and firing those that are due.
uint64_t machine_next_timer(void);
void machine_fire_timers(void);
void machine_notef(const char *format, ...) __attribute__((format(printf, 1, 2)));
// A number below `bound` of the scheduler, of the disk.
uint64_t machine_draw(uint64_t bound);
uint64_t machine_draw_disk(uint64_t bound);
void machine_fill_random(void *bytes, size_t count);
void machine_install_hooks(void);
void machine_spend(uint64_t nanoseconds);
void *machine_real(const char *name);
bool machine_is_ours(const void *address);

#endif
