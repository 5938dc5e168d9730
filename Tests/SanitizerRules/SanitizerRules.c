#include "SanitizerRules.h"

// A continuation may be resumed before its task has suspended. The hand-over is an atomic inside the concurrency runtime, which
// is not instrumented, so the sanitizer takes the value that is passed on for a race. "sScc6resume9returning" is
// UnsafeContinuation.resume(returning:). The function runs before the sanitizer is ready, so it must not be instrumented.
#if defined(__has_attribute) && __has_attribute(disable_sanitizer_instrumentation)
__attribute__((disable_sanitizer_instrumentation))
#endif
const char *__tsan_default_suppressions(void) {
    return "race:sScc6resume9returning\n";
}
