// limit PORT LOOPS [DATABASE MIGRATIONS]: HTTP/1.1 with keep-alive on epoll, on loopback.
#include "limit.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct loop loops[16];
static int loop_count, listener, has_store;

int answer_json(struct loop *loop, int status, const char *body, int length, char *answer) {
    static _Thread_local time_t second;
    static _Thread_local char date[40];
    time_t now = time(NULL);
    if (now != second) {
        struct tm parts;
        gmtime_r(&now, &parts);
        strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
        second = now;
    }
    char id[16];
    uint64_t random = loop->random_state = loop->random_state * 6364136223846793005u + 1442695040888963407u;
    for (int i = 0; i < 15; i++) id[i] = 'a' + (random >> (i * 4) & 15);
    id[15] = 0;
    const char *reason = status == 200 ? "OK" : status == 401 ? "Unauthorized" : status == 404 ? "Not Found" : "Bad Request";
    return snprintf(answer, MAX_ANSWER,
                    "HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
                    "X-Content-Type-Options: nosniff\r\nX-Request-Id: %s\r\nContent-Length: %d\r\n\r\n%.*s",
                    status, reason, date, id, length, length, body);
}

static void drop(struct connection *connection) {
    if (connection->fd >= 0) close(connection->fd);
    connection->fd = -1;
    connection->dead = 1;
    if (!connection->busy) free(connection);
}

/// Small answers on loopback always fit the socket's buffer; one that does not ends the connection.
static int reply(struct connection *connection, const char *bytes, int length) {
    return send(connection->fd, bytes, length, MSG_NOSIGNAL) == length;
}

typedef int (*change)(struct loop *, struct connection *, const char *, const char *, size_t, char *);

/// The endpoint of a call that writes; `NULL`: it is another call.
static change changing(const char *head) {
    static const struct {
        const char *start;
        change change;
    } calls[] = {
        {"POST /v3/unify ", unify_start},
        {"POST /client/v1/session ", session_redeem},
        {"POST /client/v1/session/otp ", session_send},
        {"POST /client/v1/session/otp/verify ", session_verify},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strncmp(head, calls[i].start, strlen(calls[i].start)) == 0) return calls[i].change;
    return NULL;
}

void job_start(struct job *job, struct connection *connection, int (*apply)(struct writer *, struct job *),
               int (*apply_next)(struct writer *, struct job *)) {
    job->connection = connection;
    job->apply = apply;
    job->apply_next = apply_next;
    job->failed = 0;
    connection->busy = 1;
    store_submit(job);
}

/// Answers one request, or starts its job. 0: the connection is to end.
static int answer(struct connection *connection, const char *head, const char *body, size_t length) {
    static const char ok[] = "{\"status\":\"ok\"}", missing[] = "{\"error\":\"not found\"}";
    struct loop *loop = connection->loop;
    char text[MAX_ANSWER];
    int count;
    if (strncmp(head, "GET /healthz ", 13) == 0) {
        count = answer_json(loop, 200, ok, sizeof ok - 1, text);
    } else if (strncmp(head, "POST /echo ", 11) == 0 && length <= 512) {
        // The body goes back unread: the limit has no JSON.
        count = answer_json(loop, 200, body, (int)length, text);
    } else if (has_store && changing(head)) {
        count = changing(head)(loop, connection, head, body, length, text);
        if (count == 0) return 1;
    } else if (has_store && strncmp(head, "POST /v3/unify-status ", 22) == 0) {
        count = unify_status(loop, head, body, length, text);
    } else {
        count = answer_json(loop, 404, missing, sizeof missing - 1, text);
    }
    return reply(connection, text, count);
}

/// Answers whatever whole requests have come. 0: the connection is to end.
static int work(struct connection *connection) {
    while (!connection->busy && connection->length > 0) {
        connection->input[connection->length] = 0;
        char *end = strstr(connection->input, "\r\n\r\n");
        if (!end) return connection->length < MAX_REQUEST - 1;
        size_t head = end + 4 - connection->input, body = 0;
        char kept = *(end + 2);
        *(end + 2) = 0;
        const char *field = strcasestr(connection->input, "\r\ncontent-length:");
        if (field) body = strtoul(field + 17, NULL, 10);
        if (head + body > MAX_REQUEST - 1) return 0;
        if (connection->length < head + body) {
            *(end + 2) = kept;
            return 1;
        }
        if (!answer(connection, connection->input, connection->input + head, body)) return 0;
        connection->length -= head + body;
        memmove(connection->input, connection->input + head + body, connection->length);
    }
    return 1;
}

static void receive(struct connection *connection) {
    ssize_t count = recv(connection->fd, connection->input + connection->length,
                         MAX_REQUEST - 1 - connection->length, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return drop(connection);
    connection->length += count;
    if (!work(connection)) drop(connection);
}

/// Gives each new connection to the next loop.
static void accept_all(void) {
    static int next;
    int fd, one = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct connection *connection = calloc(1, sizeof *connection);
        connection->fd = fd;
        connection->loop = &loops[next++ % loop_count];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(connection->loop->epoll, EPOLL_CTL_ADD, fd, &event);
    }
}

void loop_done(struct job *job) {
    struct loop *loop = job->connection->loop;
    uint64_t one = 1;
    pthread_mutex_lock(&loop->lock);
    int was_empty = loop->done == NULL;
    job->next = loop->done;
    loop->done = job;
    pthread_mutex_unlock(&loop->lock);
    if (was_empty && write(loop->wake, &one, sizeof one) < 0) abort();
}

static void finish_jobs(struct loop *loop) {
    uint64_t count;
    if (read(loop->wake, &count, sizeof count) < 0) return;
    pthread_mutex_lock(&loop->lock);
    struct job *done = loop->done;
    loop->done = NULL;
    pthread_mutex_unlock(&loop->lock);
    while (done) {
        struct job *job = done;
        struct connection *connection = job->connection;
        done = job->next;
        if (job->apply_next && !job->failed) {
            job->apply = job->apply_next;
            job->apply_next = NULL;
            store_submit(job);
            continue;
        }
        connection->busy = 0;
        if (connection->dead) free(connection);
        else if (job->failed || !reply(connection, job->answer, job->answer_length) || !work(connection)) drop(connection);
        free(job);
    }
}

static void *run(void *argument) {
    struct loop *loop = argument;
    struct epoll_event events[256];
    for (;;) {
        int count = epoll_wait(loop->epoll, events, 256, -1);
        int finished = 0;
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == NULL) accept_all();
            else if (events[i].data.ptr == loop) finished = 1;
            else receive(events[i].data.ptr);
        }
        // Last, because it may free a connection that another event of this turn names.
        if (finished) finish_jobs(loop);
    }
    return NULL;
}

static void listen_on(int port) {
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0) {
        perror("limit: listen");
        exit(1);
    }
}

int main(int count, char **arguments) {
    if (count != 3 && count != 5) {
        fprintf(stderr, "usage: limit PORT LOOPS [DATABASE MIGRATIONS]\n");
        return 64;
    }
    int port = atoi(arguments[1]);
    loop_count = atoi(arguments[2]);
    if (loop_count < 1 || loop_count > 16) return 64;
    char url[64], token[1024] = "";
    snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
    crypto_setup(url);
    has_store = count == 5;
    if (has_store) store_open(arguments[3], arguments[4]);
    listen_on(port);
    for (int i = 0; i < loop_count; i++) {
        struct loop *loop = &loops[i];
        loop->epoll = epoll_create1(EPOLL_CLOEXEC);
        loop->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        pthread_mutex_init(&loop->lock, NULL);
        crypto_random((uint8_t *)&loop->random_state, sizeof loop->random_state);
        loop->crypto = crypto_new();
        if (has_store) loop->reader = reader_open(arguments[3]);
        struct epoll_event wake = {.events = EPOLLIN, .data.ptr = loop};
        epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->wake, &wake);
    }
    struct epoll_event accepting = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(loops[0].epoll, EPOLL_CTL_ADD, listener, &accepting);
    int length = crypto_issue_access(loops[0].crypto, "sandbox", token);
    printf("{\"ready\":true,\"token\":\"%.*s\"}\n", length, token);
    fflush(stdout);
    pthread_t thread;
    for (int i = 1; i < loop_count; i++)
        if (pthread_create(&thread, NULL, run, &loops[i]) != 0) abort();
    run(&loops[0]);
}
