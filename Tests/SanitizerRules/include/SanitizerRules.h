#ifndef SANITIZER_RULES_H
#define SANITIZER_RULES_H

// What the thread sanitizer is told when it starts; unused in other builds.
const char *__tsan_default_suppressions(void);

#endif
