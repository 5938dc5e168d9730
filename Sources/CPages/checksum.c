// The checksum of a page: 64 bits, against accidents and not against people.

#include "pages.h"

#include <string.h>

enum { LANES = 8, WORDS = CPAGES_SUMMED_BYTES / 8 };

static uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// Each step can be undone when the word is known, and gives another value for each other word. So does the sum of the
// lanes. A change within one word therefore shows for certain, any other one with all but 1 in 2^64.
static uint64_t step(uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * 0xD6E8FEB86659FD93u;
    return lane << 29 | lane >> 35;
}

static uint64_t sum(const uint8_t *page, uint32_t number) {
    uint64_t lanes[LANES];
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = (number + 1u) * 0x9E3779B97F4A7C15u + (uint64_t)lane;
    int word = 0;
    // Lanes, since a multiplication takes as long as five of them that do not wait for each other.
    for (; word + LANES <= WORDS; word += LANES)
        for (int lane = 0; lane < LANES; lane++) lanes[lane] = step(lanes[lane], word_at(page + 8 * (word + lane)));
    for (int lane = 0; word < WORDS; word++, lane++) lanes[lane] = step(lanes[lane], word_at(page + 8 * word));
    uint64_t all = number;
    for (int lane = 0; lane < LANES; lane++) {
        all = step(all, lanes[lane]);
        all ^= all >> 32;
    }
    return all;
}

// In the head of a database (sqlite.org/fileformat2.html section 1.3): what a copy by SQLite's backup changes. A wrong
// schema cookie has the schema read again, and nobody needs the rest in a write-ahead log's database. The change counter stands there twice; see `cpages_is_sound`.
static const struct {
    int offset, count;
} LEFT_OUT[] = {
    {24, 4}, // change counter
    {40, 4}, // schema cookie
    {92, 8}, // change counter again, version of SQLite
};

uint64_t cpages_checksum(const void *page, uint32_t number) {
    if (number != 1) return sum(page, number);
    uint8_t first[CPAGES_PAGE_BYTES];
    memcpy(first, page, sizeof first);
    for (size_t index = 0; index < sizeof LEFT_OUT / sizeof LEFT_OUT[0]; index++)
        memset(first + LEFT_OUT[index].offset, 0, (size_t)LEFT_OUT[index].count);
    return sum(first, number);
}

void cpages_put(uint8_t *page, uint32_t number) {
    uint64_t word = cpages_checksum(page, number);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(page + CPAGES_SUMMED_BYTES, &word, sizeof word);
}

int cpages_is_sound(const uint8_t *page, uint32_t number) {
    if (number == 1 && memcmp(page + 24, page + 92, 4) != 0) return 0;
    return word_at(page + CPAGES_SUMMED_BYTES) == cpages_checksum(page, number);
}
