// Content codings of HTTP: gzip by zlib, brotli by Google's library.
#ifndef CCOMPRESSION_H
#define CCOMPRESSION_H

#include <stddef.h>
#include <stdint.h>

// Both return the coded bytes, `*coded_count` of them, or NULL when out of memory. The caller frees them with free().
// The same bytes always give the same result: it contains no time.

// RFC 1952, level 9.
uint8_t *ccompression_gzip(const uint8_t *bytes, size_t count, size_t *coded_count);

// RFC 7932, quality 9: a tenth of the time of 11, for 3 % more bytes.
uint8_t *ccompression_brotli(const uint8_t *bytes, size_t count, size_t *coded_count);

#endif
