// load rate PORT RATE SECONDS CONNECTIONS REQUEST-FILE
//
// Sends at a constant rate, whatever the answers do. A request's latency counts from the moment it was due, not from
// when a connection was free for it, so that a pause of the server shows in every request it delayed. `##########` in
// the request becomes its number.
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static char *request, *number_at;
static size_t request_length;

int run_rate(int count, char **arguments) {
    if (count != 5) return 64;
    int port = atoi(arguments[0]), connections = atoi(arguments[3]);
    double rate = atof(arguments[1]), seconds = atof(arguments[2]);
    if (rate < 1 || seconds <= 0 || connections < 1 || connections > 4096) return 64;
    request = request_read(arguments[4], &request_length);
    number_at = strstr(request, "##########");
    struct connection *all = calloc(connections, sizeof *all);
    int64_t *due = calloc(connections, sizeof *due);
    int *idle = calloc(connections, sizeof *idle), idle_count = 0;
    int set = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < connections; i++) {
        connection_open(&all[i], port);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        epoll_ctl(set, EPOLL_CTL_ADD, all[i].fd, &event);
        idle[idle_count++] = i;
    }
    static struct latencies latencies;
    uint64_t planned = (uint64_t)(rate * seconds), sent = 0, answered = 0, wrong = 0, late = 0;
    int64_t start = now_ns() + 1000000, gap = (int64_t)(1e9 / rate), end = start + (int64_t)(seconds * 1e9) + 10000000000;
    while (answered < planned) {
        int64_t now = now_ns();
        if (now > end) break;
        while (sent < planned && idle_count > 0 && start + (int64_t)sent * gap <= now) {
            int which = idle[--idle_count];
            due[which] = start + (int64_t)sent * gap;
            if (now - due[which] > 1000000) late++;
            if (number_at) {
                char digits[11];
                snprintf(digits, sizeof digits, "%010llu", (unsigned long long)(sent % 10000000000ull));
                memcpy(number_at, digits, 10);
            }
            connection_send(&all[which], request, request_length);
            sent++;
        }
        int64_t wait = sent < planned && idle_count > 0 ? start + (int64_t)sent * gap - now_ns() : 100000000;
        if (wait < 0) wait = 0;
        struct timespec timeout = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
        struct epoll_event events[256];
        int ready = epoll_pwait2(set, events, 256, &timeout, NULL);
        for (int i = 0; i < ready; i++) {
            int which = events[i].data.u32;
            struct answer answer;
            if (!connection_read(&all[which])) {
                fprintf(stderr, "load: the server closed a connection\n");
                return 1;
            }
            if (!connection_answer(&all[which], &answer)) continue;
            latencies_add(&latencies, (uint64_t)(now_ns() - due[which]) / 1000);
            if (answer.status != 200) wrong++;
            connection_consume(&all[which], &answer);
            answered++;
            idle[idle_count++] = which;
        }
    }
    double took = (double)(now_ns() - start) / 1e9;
    printf("{\"planned\":%llu,\"sent\":%llu,\"answered\":%llu,\"wrong\":%llu,\"late_sends\":%llu,\"seconds\":%.3f,",
           (unsigned long long)planned, (unsigned long long)sent, (unsigned long long)answered,
           (unsigned long long)wrong, (unsigned long long)late, took);
    latencies_print(&latencies);
    printf("}\n");
    return 0;
}
