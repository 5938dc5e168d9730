/* Preloaded into tests under the thread sanitizer: what a continuation hands over is known to it.

   Swift's runtime tells the sanitizer of a resumption when it resumes a task (`swift_continuation_resume`) and when a task
   that was suspended runs again. It tells nothing where the resumption came first and the task went on without having been
   suspended (`swift_continuation_await`), so all that the task then reads looks like a race. It happens when a thread loses
   its processor between the two. Here that path tells too.

   From swift/include/swift/ABI/Task.h: `ContinuationAsyncContext` is parent, resumption, flags and a status of one word
   each, and status 2 says that it was resumed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct continuation {
    void *parent, *resumption;
    size_t flags;
    atomic_size_t status;
};
enum { was_resumed = 2 };

typedef __attribute__((swiftasynccall)) void await_call(struct continuation *);
typedef __attribute__((swiftcall)) void resume_call(void *task);
typedef __attribute__((swiftcall)) void throw_call(void *task, void *error);

extern __attribute__((swiftcall)) void *swift_task_getCurrent(void);

static await_call *await;
static resume_call *resume, *resume_throwing;
static throw_call *resume_with_error;
static void (*acquire)(void *);

__attribute__((constructor)) static void find(void) {
    await = (await_call *)dlsym(RTLD_NEXT, "swift_continuation_await");
    resume = (resume_call *)dlsym(RTLD_NEXT, "swift_continuation_resume");
    resume_throwing = (resume_call *)dlsym(RTLD_NEXT, "swift_continuation_throwingResume");
    resume_with_error = (throw_call *)dlsym(RTLD_NEXT, "swift_continuation_throwingResumeWithError");
    *(void **)&acquire = dlsym(RTLD_DEFAULT, "__tsan_acquire");
}

/* No resumption falls between the look at the status and the suspension. A spinning lock is one that the sanitizer does not
   see: it would order more than the runtime does. */
static atomic_flag locks[256];

static atomic_flag *locked(void *task) {
    atomic_flag *lock = &locks[(uintptr_t)task / 64 % 256];
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) sched_yield();
    return lock;
}

static void unlock(atomic_flag *lock) { atomic_flag_clear_explicit(lock, memory_order_release); }

__attribute__((swiftasynccall)) void swift_continuation_await(struct continuation *continuation) {
    void *task = swift_task_getCurrent();
    atomic_flag *lock = locked(task);
    if (atomic_load(&continuation->status) == was_resumed) {
        unlock(lock);
        if (acquire) acquire(task);
        /* Runs the rest of the task. */
        __attribute__((musttail)) return await(continuation);
    }
    /* Suspends the task, which nobody can resume meanwhile, and returns. */
    await(continuation);
    unlock(lock);
}

__attribute__((swiftcall)) void swift_continuation_resume(void *task) {
    atomic_flag *lock = locked(task);
    resume(task);
    unlock(lock);
}

__attribute__((swiftcall)) void swift_continuation_throwingResume(void *task) {
    atomic_flag *lock = locked(task);
    resume_throwing(task);
    unlock(lock);
}

__attribute__((swiftcall)) void swift_continuation_throwingResumeWithError(void *task, void *error) {
    atomic_flag *lock = locked(task);
    resume_with_error(task, error);
    unlock(lock);
}
