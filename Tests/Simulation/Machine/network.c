// The network and the timers of loops. What the server takes for TCP are local sockets, which deliver at once and in order
// of the calls. A timer is a descriptor that the scheduler makes readable.
#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST = 65536 };
typedef enum { NOTHING, OF_SERVER, PLAYED_TCP, TIMER } Kind;
static struct { Kind kind; uint16_t port; uint64_t at; } known[MOST];
static int timers[256], timer_count;

static bool by_server(void) { return machine_lane && machine_lane->of_server; }

static int keep(int descriptor, Kind kind) {
    if (descriptor >= 0 && descriptor < MOST && by_server()) known[descriptor].kind = kind;
    return descriptor;
}

void machine_forget_descriptor(int descriptor) {
    if (descriptor < 0 || descriptor >= MOST) return;
    if (known[descriptor].kind == TIMER) {
        for (int i = 0; i < timer_count; i++) {
            if (timers[i] == descriptor) timers[i--] = timers[--timer_count];
        }
    }
    known[descriptor].kind = NOTHING;
}

void machine_lose_descriptors(void) {
    for (int i = 0; i < MOST; i++) {
        if (known[i].kind != NOTHING) close(i);
    }
}

// MARK: TCP that is played

// The name of a played address: an abstract local socket of this process.
static socklen_t name_of(struct sockaddr_un *name, const char *what, unsigned number) {
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "holdfast-%d-%s-%u", getpid(), what, number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int socket(int family, int type, int protocol) {
    static int (*real)(int, int, int);
    if (!real) real = machine_real("socket");
    if (!by_server() || (family != AF_INET && family != AF_INET6)) {
        return keep(real(family, type, protocol), OF_SERVER);
    }
    return keep(real(AF_UNIX, type, 0), PLAYED_TCP);
}

static bool is_played(int descriptor) {
    return descriptor >= 0 && descriptor < MOST && known[descriptor].kind == PLAYED_TCP;
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    static int (*real)(int, const struct sockaddr *, socklen_t);
    if (!real) real = machine_real("bind");
    if (!is_played(descriptor)) return real(descriptor, address, length);
    struct sockaddr_un name;
    uint16_t port = ntohs(((const struct sockaddr_in *)address)->sin_port);
    known[descriptor].port = port;
    socklen_t size = name_of(&name, "port", port);
    return real(descriptor, (struct sockaddr *)&name, size);
}

int getsockname(int descriptor, struct sockaddr *restrict address, socklen_t *restrict length) {
    static int (*real)(int, struct sockaddr *, socklen_t *);
    if (!real) real = machine_real("getsockname");
    if (!is_played(descriptor)) return real(descriptor, address, length);
    struct sockaddr_in played = {.sin_family = AF_INET, .sin_port = htons(known[descriptor].port)};
    played.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memcpy(address, &played, *length < sizeof played ? *length : sizeof played);
    *length = sizeof played;
    return 0;
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length) {
    static int (*real)(int, int, int, const void *, socklen_t);
    if (is_played(descriptor) && level != SOL_SOCKET) return 0;
    if (!real) real = machine_real("setsockopt");
    return real(descriptor, level, name, value, length);
}

int accept4(int descriptor, struct sockaddr *restrict address, socklen_t *restrict length, int flags) {
    static int (*real)(int, struct sockaddr *, socklen_t *, int);
    if (!real) real = machine_real("accept4");
    if (!is_played(descriptor)) return keep(real(descriptor, address, length, flags), OF_SERVER);
    struct sockaddr_un peer;
    socklen_t size = sizeof peer;
    int result = real(descriptor, (struct sockaddr *)&peer, &size, flags);
    if (result < 0) return result;
    known[result].kind = PLAYED_TCP;
    unsigned number = 0;
    const char *mark = size > sizeof(sa_family_t) + 1 ? strstr(peer.sun_path + 1, "-peer-") : NULL;
    if (mark) number = (unsigned)strtoul(mark + 6, NULL, 10);
    struct sockaddr_in played = {.sin_family = AF_INET, .sin_port = htons(40000)};
    played.sin_addr.s_addr = htonl(0xC6336400u + number % 256);
    if (address && length) memcpy(address, &played, *length < sizeof played ? *length : sizeof played);
    return result;
}

// MARK: Loops

int epoll_create1(int flags) {
    static int (*real)(int);
    if (!real) real = machine_real("epoll_create1");
    return keep(real(flags), OF_SERVER);
}

int epoll_wait(int set, struct epoll_event *events, int most, int timeout) {
    static int (*real)(int, struct epoll_event *, int, int);
    if (!real) real = machine_real("epoll_wait");
    return real(set, events, most, by_server() ? 0 : timeout);
}

int eventfd(unsigned value, int flags) {
    static int (*real)(unsigned, int);
    if (!real) real = machine_real("eventfd");
    return keep(real(value, flags), OF_SERVER);
}

int timerfd_create(clockid_t clock, int flags) {
    (void)clock, (void)flags;
    int descriptor = keep(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), TIMER);
    if (descriptor >= 0 && timer_count < 256) {
        known[descriptor].at = FOREVER;
        timers[timer_count++] = descriptor;
    }
    return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *old) {
    (void)flags, (void)old;
    known[descriptor].at = (uint64_t)value->it_value.tv_sec * 1000000000u + (uint64_t)value->it_value.tv_nsec;
    return 0;
}

uint64_t machine_next_timer(void) {
    uint64_t earliest = FOREVER;
    for (int i = 0; i < timer_count; i++) {
        if (known[timers[i]].at < earliest) earliest = known[timers[i]].at;
    }
    return earliest;
}

void machine_fire_timers(void) {
    for (int i = 0; i < timer_count; i++) {
        if (known[timers[i]].at > machine_now()) continue;
        uint64_t one = 1;
        known[timers[i]].at = FOREVER;
        if (write(timers[i], &one, sizeof one) < 0 && errno != EAGAIN) abort();
    }
}

// MARK: Callers

static int reach(const struct sockaddr_un *name, socklen_t size, uint8_t address) {
    static unsigned count;
    struct sockaddr_un own;
    int (*open_socket)(int, int, int) = machine_real("socket");
    int (*bind_to)(int, const struct sockaddr *, socklen_t) = machine_real("bind");
    int descriptor = open_socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    char what[32];
    snprintf(what, sizeof what, "%u-peer", count++);
    socklen_t own_size = name_of(&own, what, address);
    if (bind_to(descriptor, (struct sockaddr *)&own, own_size) == 0
        && connect(descriptor, (const struct sockaddr *)name, size) == 0) {
        return descriptor;
    }
    close(descriptor);
    return -1;
}

int machine_connect(uint16_t port, uint8_t address) {
    struct sockaddr_un name;
    socklen_t size = name_of(&name, "port", port);
    return reach(&name, size, address);
}

int machine_connect_local(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    return reach(&name, sizeof name, 0);
}

long machine_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

long machine_receive(int descriptor, void *bytes, size_t count) {
    ssize_t got = recv(descriptor, bytes, count, MSG_DONTWAIT);
    if (got >= 0) return got;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? -1 : -2;
}

void machine_close(int descriptor) { close(descriptor); }
