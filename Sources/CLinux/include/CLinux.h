// System calls that Swift's Glibc module leaves out or cannot import, in a shape Swift can use.
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
    CLINUX_GONE = 8,      // closed both ways (EPOLLHUP); reported unasked, what arrived before can still be read
    CLINUX_EDGE = 16,     // edge triggered; for registration only
    CLINUX_BROKEN = 32,   // reset, or given up by the kernel (EPOLLERR); reported unasked
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
// Arms for the absolute monotonic time; a time in the past fires at once.
int clinux_timerfd_arm(int descriptor, uint64_t monotonic_ns);

uint64_t clinux_monotonic_ns(void);

// Accepts one connection, non-blocking and closed on exec. `address` takes up to *length bytes of the peer's address.
int clinux_accept(int listener, void *address, uint32_t *length);
// Bytes that wait in the kernel for the peer to take them.
int clinux_unsent_bytes(int descriptor);

// Fills `buffer` with random bytes of the system, at most 256 at a time; returns 0.
int clinux_random(void *buffer, uint32_t count);

// A pointer of the calling thread, null at first.
void *clinux_thread_pointer(void);
void clinux_set_thread_pointer(void *pointer);

// Keeps this process out of core files, also of those that a program takes from a pipe, and from debuggers of its own user.
int clinux_forbid_dumps(void);
// 1 when a core file could be written.
int clinux_is_dumpable(void);

// Gives memory that was freed back to the system.
void clinux_trim_memory(void);

// Takes the read-only pages of the program and its libraries out of the process. Those it still needs come back from the
// page cache when they are touched.
void clinux_release_file_pages(void);

#endif
