#include "CMarkdown.h"

#include <stdlib.h>
#include <string.h>

#include "md4c-html.h"

typedef struct {
    char *bytes;
    size_t count, capacity;
    int failed;
} buffer;

static void append(const MD_CHAR *text, MD_SIZE count, void *context) {
    buffer *buffer = context;
    if (buffer->failed) return;
    if (buffer->capacity - buffer->count < count) {
        size_t capacity = 2 * (buffer->count + count);
        char *bytes = realloc(buffer->bytes, capacity);
        if (bytes == NULL) {
            buffer->failed = 1;
            return;
        }
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->count, text, count);
    buffer->count += count;
}

char *cmarkdown_html(const char *text, size_t count, size_t *html_count) {
    buffer buffer = {malloc(count + 1), 0, count + 1, 0};
    if (buffer.bytes == NULL) return NULL;
    unsigned flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEURLAUTOLINKS | MD_FLAG_NOHTML;
    if (md_html(text, (MD_SIZE)count, append, &buffer, flags, 0) != 0 || buffer.failed) {
        free(buffer.bytes);
        return NULL;
    }
    *html_count = buffer.count;
    return buffer.bytes;
}
