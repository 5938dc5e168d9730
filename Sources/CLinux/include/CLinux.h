// System calls that Swift's Glibc module omits or cannot import, in a form that Swift can call.
// Every function that can fail returns a negative errno instead of setting errno.
#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>

// One readiness report. Unlike `struct epoll_event` it is not packed.
typedef struct {
    uint64_t token;
    uint32_t readiness;
} clinux_event;

enum {
    CLINUX_READABLE = 1,
    CLINUX_WRITABLE = 2,
    CLINUX_PEER_SHUT = 4, // the peer sends no more (EPOLLRDHUP)
    CLINUX_GONE = 8,      // closed both ways (EPOLLHUP); always reported, earlier input can still be read
    CLINUX_EDGE = 16,     // edge triggered; for registration only
    CLINUX_BROKEN = 32,   // reset, or abandoned by the kernel (EPOLLERR); always reported
};

int clinux_epoll_create(void);
int clinux_epoll_add(int set, int descriptor, uint64_t token, uint32_t interest);
int clinux_epoll_modify(int set, int descriptor, uint64_t token, uint32_t interest);
int clinux_epoll_remove(int set, int descriptor);
// Waits for up to `timeout_ms`; fills `events` and returns their number. An interrupted wait returns 0.
int clinux_epoll_wait(int set, clinux_event *events, int capacity, int timeout_ms);

int clinux_eventfd(void);
int clinux_eventfd_signal(int descriptor);

int clinux_timerfd(void);
// Arms the timer for the absolute monotonic time; a time in the past fires at once.
int clinux_timerfd_arm(int descriptor, uint64_t monotonic_ns);

uint64_t clinux_monotonic_ns(void);

// Accepts one connection, non-blocking and close-on-exec. Writes up to *length bytes of the peer's address to
// `address`.
int clinux_accept(int listener, void *address, uint32_t *length);
// Bytes in the kernel that the peer has not taken.
int clinux_unsent_bytes(int descriptor);

// Fills `buffer` with random bytes from the system, at most 256 at a time; returns 0.
int clinux_random(void *buffer, uint32_t count);

// A pointer that belongs to the calling thread; NULL at first.
void *clinux_thread_pointer(void);
void clinux_set_thread_pointer(void *pointer);

// Excludes this process from core files, including those piped to a program, and from debuggers of the same user.
int clinux_forbid_dumps(void);
// 1 when a core file could be written.
int clinux_is_dumpable(void);

// Returns freed memory to the system.
void clinux_trim_memory(void);

// Evicts the read-only pages of the program and its libraries from the process. Pages that it still needs are mapped
// again from the page cache on access.
void clinux_release_file_pages(void);

#endif
