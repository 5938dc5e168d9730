// load idle PORT COUNT: opens connections, asks each once, and keeps them until its input ends.
#include "load.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int run_idle(int count, char **arguments) {
    static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    if (count != 2) return 64;
    int port = atoi(arguments[0]), wanted = atoi(arguments[1]);
    if (wanted < 1 || wanted > 100000) return 64;
    int *open_fds = calloc(wanted, sizeof *open_fds);
    struct connection c;
    for (int i = 0; i < wanted; i++) {
        struct answer answer;
        connection_open(&c, port);
        connection_send(&c, request, sizeof request - 1);
        do {
            struct pollfd readable = {.fd = c.fd, .events = POLLIN};
            if (poll(&readable, 1, 5000) != 1 || !connection_read(&c)) {
                fprintf(stderr, "load: connection %d was not served\n", i);
                return 1;
            }
        } while (!connection_answer(&c, &answer));
        if (answer.status != 200) {
            fprintf(stderr, "load: connection %d got %d\n", i, answer.status);
            return 1;
        }
        open_fds[i] = c.fd;
    }
    printf("{\"open\":%d}\n", wanted);
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) > 0) {}
    int closed = 0;
    for (int i = 0; i < wanted; i++) {
        struct pollfd state = {.fd = open_fds[i], .events = POLLIN};
        closed += poll(&state, 1, 0) != 0;
    }
    printf("{\"closed_by_server\":%d}\n", closed);
    return 0;
}
