#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MAX_EVENTS = 256 };

static int checked(int result) { return result < 0 ? -errno : result; }

int clinux_epoll_create(void) { return checked(epoll_create1(EPOLL_CLOEXEC)); }

static int control(int set, int operation, int descriptor, uint64_t token, uint32_t interest) {
    struct epoll_event event = {.events = 0, .data.u64 = token};
    if (interest & CLINUX_READABLE) event.events |= EPOLLIN;
    if (interest & CLINUX_WRITABLE) event.events |= EPOLLOUT;
    if (interest & CLINUX_PEER_SHUT) event.events |= EPOLLRDHUP;
    if (interest & CLINUX_EDGE) event.events |= EPOLLET;
    return checked(epoll_ctl(set, operation, descriptor, &event));
}

int clinux_epoll_add(int set, int descriptor, uint64_t token, uint32_t interest) {
    return control(set, EPOLL_CTL_ADD, descriptor, token, interest);
}

int clinux_epoll_modify(int set, int descriptor, uint64_t token, uint32_t interest) {
    return control(set, EPOLL_CTL_MOD, descriptor, token, interest);
}

int clinux_epoll_remove(int set, int descriptor) { return control(set, EPOLL_CTL_DEL, descriptor, 0, 0); }

int clinux_epoll_wait(int set, clinux_event *events, int capacity, int timeout_ms) {
    struct epoll_event raw[MAX_EVENTS];
    if (capacity > MAX_EVENTS) capacity = MAX_EVENTS;
    int count = epoll_wait(set, raw, capacity, timeout_ms);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        uint32_t seen = raw[i].events, readiness = 0;
        if (seen & EPOLLIN) readiness |= CLINUX_READABLE;
        if (seen & EPOLLOUT) readiness |= CLINUX_WRITABLE;
        if (seen & EPOLLRDHUP) readiness |= CLINUX_PEER_SHUT;
        if (seen & EPOLLHUP) readiness |= CLINUX_GONE;
        if (seen & EPOLLERR) readiness |= CLINUX_BROKEN;
        events[i].token = raw[i].data.u64;
        events[i].readiness = readiness;
    }
    return count;
}

int clinux_eventfd(void) { return checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)); }

int clinux_eventfd_signal(int descriptor) {
    uint64_t one = 1;
    return write(descriptor, &one, sizeof one) < 0 ? -errno : 0;
}

int clinux_timerfd(void) { return checked(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)); }

int clinux_timerfd_arm(int descriptor, uint64_t monotonic_ns) {
    if (monotonic_ns == 0) monotonic_ns = 1; // zero would disarm
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(monotonic_ns / 1000000000u), .tv_nsec = (long)(monotonic_ns % 1000000000u)},
    };
    return checked(timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, 0));
}

uint64_t clinux_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int clinux_accept(int listener, void *address, uint32_t *length) {
    socklen_t size = *length;
    int descriptor = accept4(listener, address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return -errno;
    *length = size;
    return descriptor;
}

int clinux_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -errno;
}

int clinux_is_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
}

void clinux_trim_memory(void) { malloc_trim(0); }

int clinux_unsent_bytes(int descriptor) {
    int bytes = 0;
    return ioctl(descriptor, TIOCOUTQ, &bytes) < 0 ? -errno : bytes;
}

int clinux_random(void *buffer, uint32_t count) { return getentropy(buffer, count) < 0 ? -errno : 0; }

static _Thread_local void *thread_pointer;

void *clinux_thread_pointer(void) { return thread_pointer; }

void clinux_set_thread_pointer(void *pointer) { thread_pointer = pointer; }

static int release_file_pages(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    uintptr_t page = sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        // What was ever writable has relocations in it, which are in no file.
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = object->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        start &= ~(page - 1);
        end = (end + page - 1) & ~(page - 1);
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void clinux_release_file_pages(void) { dl_iterate_phdr(release_file_pages, NULL); }
