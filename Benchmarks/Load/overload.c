// load overload PORT PATIENCE-MS CONNECTIONS REQUEST-FILE RATE:SECONDS...
//
// Callers that give up: requests come at a constant rate, whatever the answers do, over connections that are kept. One who
// has no answer after PATIENCE-MS closes its connection and opens another. Each phase has its rate and its length, and
// its own line of figures. An answer is useful when it is 200 and in time; a refusal is 503 or 429. `##########` in the
// request becomes its number.
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 16384, MAX_PHASES = 32, RING = 1 << 18 };

struct phase {
    double rate, seconds;
    uint64_t due, sent, useful, late, refused, gave_up, wrong, unsent, closed;
    struct latencies answers, refusals;
};

static struct phase phases[MAX_PHASES];
static int phase_count;
static struct connection *all;
static struct request_under_way {
    int64_t due, sent_at;
    int phase, next_older, is_idle;
} *under_way;
static int *idle, idle_count, set, port;

static void watch(int which) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = which};
    epoll_ctl(set, EPOLL_CTL_ADD, all[which].fd, &event);
}

static void reopen(int which) {
    close(all[which].fd);
    connection_begin(&all[which], port);
    watch(which);
    under_way[which].is_idle = 1;
    idle[idle_count++] = which;
}

static void take_answer(int which) {
    struct answer answer;
    struct request_under_way *request = &under_way[which];
    if (!connection_read(&all[which])) {
        // The server closed it: an idle one is opened again, one with a request under way has lost it.
        if (request->is_idle) {
            for (int i = 0; i < idle_count; i++)
                if (idle[i] == which) idle[i--] = idle[--idle_count];
        } else {
            phases[request->phase].closed++;
        }
        reopen(which);
        return;
    }
    if (!connection_answer(&all[which], &answer)) return;
    struct phase *phase = &phases[request->phase];
    uint64_t us = (uint64_t)(now_ns() - request->due) / 1000;
    if (answer.status == 200) {
        phase->useful++;
        latencies_add(&phase->answers, us);
    } else if (answer.status == 503 || answer.status == 429) {
        phase->refused++;
        latencies_add(&phase->refusals, us);
    } else {
        phase->wrong++;
    }
    connection_consume(&all[which], &answer);
    request->is_idle = 1;
    idle[idle_count++] = which;
}

static void print(const struct phase *phase) {
    printf("{\"rate\":%.0f,\"seconds\":%.1f,\"due\":%llu,\"sent\":%llu,\"useful\":%llu,\"refused\":%llu,\"gave_up\":%llu,"
           "\"wrong\":%llu,\"unsent\":%llu,\"closed\":%llu,\"answers\":{",
           phase->rate, phase->seconds, (unsigned long long)phase->due, (unsigned long long)phase->sent,
           (unsigned long long)phase->useful, (unsigned long long)phase->refused, (unsigned long long)phase->gave_up,
           (unsigned long long)phase->wrong, (unsigned long long)phase->unsent, (unsigned long long)phase->closed);
    latencies_print(&phase->answers);
    printf("},\"refusals\":{");
    latencies_print(&phase->refusals);
    printf("}}\n");
}

int run_overload(int count, char **arguments) {
    if (count < 5 || count - 4 > MAX_PHASES) return 64;
    port = atoi(arguments[0]);
    int64_t patience = (int64_t)(atof(arguments[1]) * 1e6);
    int connections = atoi(arguments[2]);
    if (connections < 1 || connections > MAX_CONNECTIONS || patience <= 0) return 64;
    size_t length = 0;
    char *request = request_read(arguments[3], &length), *number_at = strstr(request, "##########");
    for (int i = 4; i < count; i++)
        if (sscanf(arguments[i], "%lf:%lf", &phases[phase_count].rate, &phases[phase_count].seconds) == 2) phase_count++;
    if (phase_count != count - 4) return 64;
    all = calloc(connections, sizeof *all);
    under_way = calloc(connections, sizeof *under_way);
    idle = calloc(connections, sizeof *idle);
    set = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < connections; i++) {
        connection_open(&all[i], port);
        watch(i);
        under_way[i].is_idle = 1;
        idle[idle_count++] = i;
    }
    // Requests in the order they were sent, for those who give up: a ring of connections and when they were used.
    struct sent {
        int which;
        int64_t at;
    } *ring = calloc(RING, sizeof *ring);
    uint64_t ring_first = 0, ring_end = 0, number = 0;
    int64_t start = now_ns() + 1000000;
    for (int current = 0; current < phase_count; current++) {
        struct phase *phase = &phases[current];
        phase->due = (uint64_t)(phase->rate * phase->seconds);
        int64_t end = start + (int64_t)(phase->seconds * 1e9);
        uint64_t next = 0;
        while (now_ns() < end || next < phase->due) {
            int64_t now = now_ns();
            for (int burst = 0; next < phase->due && burst < 64; burst++) {
                int64_t due = start + (int64_t)((double)next * 1e9 / phase->rate);
                if (due > now) break;
                next++;
                // One who finds no free connection for that long has given up too.
                if (idle_count == 0 || now - due > patience) {
                    phase->unsent++;
                    continue;
                }
                int which = idle[--idle_count];
                under_way[which] = (struct request_under_way){.due = due, .sent_at = now, .phase = current};
                if (number_at) {
                    char digits[11];
                    snprintf(digits, sizeof digits, "%010llu", (unsigned long long)(number++ % 10000000000ull));
                    memcpy(number_at, digits, 10);
                }
                int sent = connection_try_send(&all[which], request, length);
                if (sent <= 0) {
                    phase->unsent++;
                    under_way[which].is_idle = 1;
                    if (sent < 0) reopen(which);
                    // The next caller takes another one.
                    else idle[idle_count++] = idle[0], idle[0] = which;
                    continue;
                }
                phase->sent++;
                ring[ring_end++ % RING] = (struct sent){which, now};
            }
            while (ring_first < ring_end) {
                struct sent oldest = ring[ring_first % RING];
                struct request_under_way *one = &under_way[oldest.which];
                int is_done = one->is_idle || one->sent_at != oldest.at;
                if (!is_done && now - one->due < patience) break;
                ring_first++;
                if (is_done) continue;
                phases[one->phase].gave_up++;
                reopen(oldest.which);
            }
            struct timespec timeout = {.tv_nsec = 200000};
            struct epoll_event events[512];
            int ready = epoll_pwait2(set, events, 512, &timeout, NULL);
            for (int i = 0; i < ready; i++) take_answer(events[i].data.u32);
        }
        start = end;
    }
    // What is still under way gets its time.
    int64_t end = now_ns() + patience;
    while (now_ns() < end && idle_count < connections) {
        struct timespec timeout = {.tv_nsec = 1000000};
        struct epoll_event events[512];
        int ready = epoll_pwait2(set, events, 512, &timeout, NULL);
        for (int i = 0; i < ready; i++) take_answer(events[i].data.u32);
    }
    for (int i = 0; i < phase_count; i++) print(&phases[i]);
    return 0;
}
