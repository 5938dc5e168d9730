// JSON of one form, headers, and ids.
#include "limit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

int member(const char *body, size_t length, const char *name, char *value, size_t room) {
    char mark[64];
    int mark_length = snprintf(mark, sizeof mark, "\"%s\":\"", name);
    const char *at = memmem(body, length, mark, mark_length);
    if (!at) return 0;
    at += mark_length;
    const char *end = memchr(at, '"', body + length - at);
    if (!end || (size_t)(end - at) >= room || memchr(at, '\\', end - at)) return 0;
    memcpy(value, at, end - at);
    value[end - at] = 0;
    return 1;
}

const char *header(const char *head, const char *name, size_t *length) {
    const char *at = strcasestr(head, name);
    if (!at) return NULL;
    at += strlen(name);
    *length = strcspn(at, "\r");
    return at;
}

int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void time_ordered_id(int64_t now_ms, uint8_t *id) {
    crypto_random(id, 16);
    for (int i = 0; i < 6; i++) id[i] = now_ms >> (40 - 8 * i) & 0xFF;
    id[6] = (id[6] & 0x0F) | 0x70;
    id[8] = (id[8] & 0x3F) | 0x80;
}

void write_id(const uint8_t *id, char *text) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *text++ = '-';
        *text++ = digits[id[i] >> 4];
        *text++ = digits[id[i] & 15];
    }
    *text = 0;
}

int read_id(const char *text, uint8_t *id) {
    int digits = 0;
    for (; *text; text++) {
        if (*text == '-') continue;
        int v = *text >= '0' && *text <= '9' ? *text - '0' : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10 : -1;
        if (v < 0 || digits == 32) return 0;
        id[digits / 2] = digits % 2 ? id[digits / 2] << 4 | v : v;
        digits++;
    }
    return digits == 32;
}
