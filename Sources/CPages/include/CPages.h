// Checksums over the pages of a SQLite database: a VFS that writes and checks them, and functions for Swift.
//
// The last 8 of the 4096 bytes of a page are the checksum over the others and the page's number. They are written with
// the page, to the write-ahead log and to the database, and checked whenever a page is read from either. A database
// whose pages have no room for checksums is read and written unchanged.
#ifndef CPAGES_H
#define CPAGES_H

#include <stdint.h>

struct sqlite3;

enum { CPAGES_PAGE_BYTES = 4096, CPAGES_RESERVED_BYTES = 8 };

// Registers the VFS `name` over the VFS `base`; NULL: over the default. Returns a result code of SQLite. Call it once;
// it stays for the life of the process.
int cpages_register(const char *name, const char *base);

// The form of a database, determined by the first page that is read or written.
typedef enum {
    CPAGES_UNKNOWN, // nothing was read yet, it is empty, or it is not a database
    CPAGES_CHECKED, // pages have checksums
    CPAGES_PLAIN,   // pages have no room for them
    CPAGES_OTHER,   // the connection does not use this VFS, or is in memory
} cpages_form;

cpages_form cpages_form_of(struct sqlite3 *database);

// Reserves room for the checksums in a database that has no page yet. Returns a result code of SQLite.
int cpages_reserve(struct sqlite3 *database);

// A page with a wrong checksum. Reading it gives SQLITE_IOERR_DATA.
typedef struct {
    uint64_t count;  // how many such reads the connection has had
    uint32_t number; // page number of the last one
    uint32_t is_in_log;
} cpages_damage;

cpages_damage cpages_damage_of(struct sqlite3 *database);

// Number of pages in the database file, including a truncated last one.
uint32_t cpages_count(struct sqlite3 *database);

// Checks `count` pages of the database's file from page `first` on, without the log and without a lock: a page that is
// being written may look damaged. Writes the numbers of damaged pages to `found`, which has room for `count`, and
// returns how many there are; negative: a result code of SQLite, negated.
int cpages_check(struct sqlite3 *database, uint32_t first, uint32_t count, uint32_t *found);

// The checksum of a page with this number. For tests and tools.
uint64_t cpages_checksum(const void *page, uint32_t number);

#endif
