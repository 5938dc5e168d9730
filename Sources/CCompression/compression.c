#include "CCompression.h"

#include <brotli/encode.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

uint8_t *ccompression_gzip(const uint8_t *bytes, size_t count, size_t *coded_count) {
    z_stream stream = {0};
    // Adding 16 to the window bits selects the gzip header.
    if (count > UINT_MAX || deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
    size_t capacity = deflateBound(&stream, count);
    uint8_t *coded = malloc(capacity);
    if (coded != NULL) {
        stream.next_in = (Bytef *)bytes;
        stream.avail_in = (uInt)count;
        stream.next_out = coded;
        stream.avail_out = (uInt)capacity;
        if (deflate(&stream, Z_FINISH) == Z_STREAM_END) {
            *coded_count = stream.total_out;
        } else {
            free(coded);
            coded = NULL;
        }
    }
    deflateEnd(&stream);
    return coded;
}

uint8_t *ccompression_brotli(const uint8_t *bytes, size_t count, size_t *coded_count) {
    size_t capacity = BrotliEncoderMaxCompressedSize(count);
    uint8_t *coded = malloc(capacity);
    if (coded == NULL) return NULL;
    if (!BrotliEncoderCompress(9, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, count, bytes, &capacity, coded)) {
        free(coded);
        return NULL;
    }
    *coded_count = capacity;
    return coded;
}
