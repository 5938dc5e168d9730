// Declarations that the files of this target share.
#ifndef CPAGES_INSIDE_H
#define CPAGES_INSIDE_H

#include "CPages.h"

#include <sqlite3.h>

enum {
    CPAGES_SUMMED_BYTES = CPAGES_PAGE_BYTES - CPAGES_RESERVED_BYTES,
    // The header of a database: read separately, before the first page and again with it.
    CPAGES_HEAD_BYTES = 100,
};

// Writes the checksum into the page.
void cpages_put(uint8_t *page, uint32_t number);
int cpages_is_sound(const uint8_t *page, uint32_t number);

// A database file. The file object of the VFS below directly follows it in memory, as it follows a `cpages_log`.
typedef struct {
    sqlite3_file file;
    cpages_form form;
    cpages_damage damage;
    // Changes whenever a lock is taken or released: a transaction is over, or another process may have written.
    uint64_t turn;
    // A page of the log that was found sound, while it is still where it was read: a checkpoint writes it next.
    const void *sound;
    uint32_t sound_number;
    uint64_t sound_turn;
} cpages_database;

// Its write-ahead log.
typedef struct {
    sqlite3_file file;
    cpages_database *database;
    // A frame that SQLite is writing in parts, while `filled` is not 0. NULL: none was written yet.
    uint8_t *frame;
    sqlite3_int64 frame_at;
    int filled;
    // The sums from which the next frame continues, if it directly follows and `turn` is still the database's.
    // `next_at` is 0 otherwise.
    sqlite3_int64 next_at;
    uint64_t turn;
    uint32_t sums[2];
    // The sums that SQLite had there.
    uint32_t theirs[2];
    int is_swapped;
} cpages_log;

// Methods for a database file over a file with the methods `below`.
const sqlite3_io_methods *cpages_database_methods(const sqlite3_io_methods *below);
// NULL: not a database file.
cpages_database *cpages_as_database(sqlite3_file *file);
extern const sqlite3_io_methods cpages_log_methods;

static inline sqlite3_file *cpages_below_database(sqlite3_file *file) {
    return (sqlite3_file *)((cpages_database *)file + 1);
}

static inline sqlite3_file *cpages_below_log(sqlite3_file *file) { return (sqlite3_file *)((cpages_log *)file + 1); }

// Returns SQLITE_OK, or SQLITE_IOERR_DATA after recording the damage.
static inline int cpages_judge(cpages_database *database, const uint8_t *page, uint32_t number, int is_in_log) {
    if (cpages_is_sound(page, number)) return SQLITE_OK;
    database->damage.count++;
    database->damage.number = number;
    database->damage.is_in_log = (uint32_t)is_in_log;
    return SQLITE_IOERR_DATA;
}

#endif
