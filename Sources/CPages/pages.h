// What the files of this target share.
#ifndef CPAGES_INSIDE_H
#define CPAGES_INSIDE_H

#include "CPages.h"

#include <sqlite3.h>

enum {
    CPAGES_SUMMED_BYTES = CPAGES_PAGE_BYTES - CPAGES_RESERVED_BYTES,
    // The head of a database: read alone, before and beside its first page.
    CPAGES_HEAD_BYTES = 100,
};

// Writes the checksum into the page.
void cpages_put(uint8_t *page, uint32_t number);
int cpages_is_sound(const uint8_t *page, uint32_t number);

// A database's file. The file of the VFS below stands right behind it, as behind a `cpages_log`.
typedef struct {
    sqlite3_file file;
    cpages_form form;
    cpages_damage damage;
    // Changes with each lock that is taken or given up: a transaction is over, or another process may have written.
    uint64_t turn;
    // A page of the log that was found sound, while it lies where it was read to: a checkpoint writes it next.
    const void *sound;
    uint32_t sound_number;
    uint64_t sound_turn;
} cpages_database;

// Its write-ahead log.
typedef struct {
    sqlite3_file file;
    cpages_database *database;
    // A frame that SQLite is writing part by part, while `filled` is not 0. NULL: none was written yet.
    uint8_t *frame;
    sqlite3_int64 frame_at;
    int filled;
    // What the next frame goes on from, while it is the one right behind and `turn` is still the database's. `next_at` is
    // 0 otherwise.
    sqlite3_int64 next_at;
    uint64_t turn;
    uint32_t sums[2];
    // The sums that SQLite had there.
    uint32_t theirs[2];
    int is_swapped;
} cpages_log;

// For a database's file over one with the methods `below`.
const sqlite3_io_methods *cpages_database_methods(const sqlite3_io_methods *below);
// NULL: it is another file.
cpages_database *cpages_as_database(sqlite3_file *file);
extern const sqlite3_io_methods cpages_log_methods;

static inline sqlite3_file *cpages_below_database(sqlite3_file *file) {
    return (sqlite3_file *)((cpages_database *)file + 1);
}

static inline sqlite3_file *cpages_below_log(sqlite3_file *file) { return (sqlite3_file *)((cpages_log *)file + 1); }

// SQLITE_OK, or SQLITE_IOERR_DATA with a note of it.
static inline int cpages_judge(cpages_database *database, const uint8_t *page, uint32_t number, int is_in_log) {
    if (cpages_is_sound(page, number)) return SQLITE_OK;
    database->damage.count++;
    database->damage.number = number;
    database->damage.is_in_log = (uint32_t)is_in_log;
    return SQLITE_IOERR_DATA;
}

#endif
