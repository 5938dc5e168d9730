// What libFuzzer calls. SwiftPM renames the `main` of a Swift program, and libFuzzer brings its own: so this is C.
#include <stddef.h>
#include <stdint.h>

void holdfast_fuzz_begin(void);
void holdfast_fuzz_take(const uint8_t *bytes, size_t count);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count;
    (void)arguments;
    holdfast_fuzz_begin();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    holdfast_fuzz_take(bytes, count);
    return 0;
}
