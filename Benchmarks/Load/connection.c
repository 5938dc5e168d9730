#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

static void die(const char *what) {
    perror(what);
    exit(1);
}

int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

char *request_read(const char *path, size_t *length) {
    FILE *file = fopen(path, "r");
    char *request = NULL;
    size_t room = 0;
    ssize_t count = file ? getdelim(&request, &room, 0, file) : -1;
    if (count < 0) die(path);
    fclose(file);
    *length = count;
    return request;
}

static void begin(struct connection *c, int port, int flags) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int one = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->length = 0;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (c->fd < 0) die("load: socket");
    if (connect(c->fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS) die("load: connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

void connection_open(struct connection *c, int port) {
    begin(c, port, 0);
    if (fcntl(c->fd, F_SETFL, O_NONBLOCK) != 0) die("load: fcntl");
}

void connection_begin(struct connection *c, int port) { begin(c, port, SOCK_NONBLOCK); }

void connection_send(struct connection *c, const char *bytes, size_t length) {
    // A request is far smaller than the socket's buffer, which is empty.
    if (send(c->fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) die("load: send");
}

int connection_try_send(struct connection *c, const char *bytes, size_t length) {
    if (send(c->fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length) return 1;
    return errno == EAGAIN || errno == ENOTCONN ? 0 : -1;
}

int connection_read(struct connection *c) {
    ssize_t count = recv(c->fd, c->input + c->length, MAX_INPUT - c->length, 0);
    if (count < 0 && errno == EAGAIN) return 1;
    if (count <= 0) return 0;
    c->length += count;
    c->input[c->length] = 0;
    return 1;
}

int connection_answer(struct connection *c, struct answer *answer) {
    if (c->length < 16) return 0;
    char *end = strstr(c->input, "\r\n\r\n");
    if (!end) return 0;
    const char *field = strcasestr(c->input, "\r\ncontent-length:");
    if (!field || field > end) {
        fprintf(stderr, "load: an answer without a length\n");
        exit(1);
    }
    answer->status = atoi(c->input + 9);
    answer->body = end + 4;
    answer->body_length = strtoul(field + 17, NULL, 10);
    answer->total = (end + 4 - c->input) + answer->body_length;
    return c->length >= answer->total;
}

void connection_consume(struct connection *c, const struct answer *answer) {
    c->length -= answer->total;
    memmove(c->input, c->input + answer->total, c->length);
    c->input[c->length] = 0;
}

static int bucket_of(uint64_t us) {
    if (us < 64) return (int)us;
    int shift = 58 - __builtin_clzll(us);
    int index = (shift + 1) * 32 + (int)(us >> shift & 31) + 32;
    return index < 64 * 32 ? index : 64 * 32 - 1;
}

static double value_of(int bucket) {
    if (bucket < 64) return bucket;
    int shift = (bucket - 32) / 32 - 1;
    return (double)((uint64_t)(32 + (bucket - 32) % 32) << shift) * 1.0 + (double)((uint64_t)1 << shift) / 2;
}

void latencies_add(struct latencies *l, uint64_t us) {
    l->counts[bucket_of(us)]++;
    l->total++;
    if (us > l->max) l->max = us;
}

double latencies_at(const struct latencies *l, double quantile) {
    uint64_t wanted = (uint64_t)(quantile * (double)l->total), seen = 0;
    for (int i = 0; i < 64 * 32; i++)
        if ((seen += l->counts[i]) > wanted) return value_of(i);
    return (double)l->max;
}

void latencies_print(const struct latencies *l) {
    printf("\"p50_us\":%.0f,\"p90_us\":%.0f,\"p99_us\":%.0f,\"p999_us\":%.0f,\"max_us\":%llu", latencies_at(l, 0.5),
           latencies_at(l, 0.9), latencies_at(l, 0.99), latencies_at(l, 0.999), (unsigned long long)l->max);
}
