// The database's own file: pages are checked as they are read, and get their checksum as they are written.

#include "pages.h"

#include <string.h>

#define BELOW cpages_below_database(file)

// Newer than the oldest SQLite that this is built with.
#ifndef SQLITE_IOCAP_SUBPAGE_READ
#define SQLITE_IOCAP_SUBPAGE_READ 0x00008000
#endif

// Takes from the head of a database whether its pages have checksums. It stays with the first answer: a head that is
// damaged later must not end the checks.
static void learn(cpages_database *self, const uint8_t *head) {
    if (self->form != CPAGES_UNKNOWN || memcmp(head, "SQLite format 3", 16) != 0) return;
    int bytes = head[16] << 8 | head[17];
    self->form = bytes == CPAGES_PAGE_BYTES && head[20] == CPAGES_RESERVED_BYTES ? CPAGES_CHECKED : CPAGES_PLAIN;
}

static uint32_t number_at(sqlite3_int64 offset) { return (uint32_t)(offset / CPAGES_PAGE_BYTES) + 1; }

// A page of which the file has a part only, or nothing, is damaged: SQLite reads no page that was never written. What is
// not there yet reads as zeros, as ever.
static int judge_end(sqlite3_file *file, sqlite3_int64 page_at) {
    sqlite3_int64 size = 0;
    int code = BELOW->pMethods->xFileSize(BELOW, &size);
    if (code != SQLITE_OK) return code;
    if (size == 0) return SQLITE_IOERR_SHORT_READ;
    static const uint8_t none[CPAGES_PAGE_BYTES];
    return cpages_judge((cpages_database *)file, none, number_at(page_at), 0);
}

// A read that is not of one page: of a part, or of several.
static int read_parts(sqlite3_file *file, uint8_t *bytes, int count, sqlite3_int64 offset) {
    while (count > 0) {
        uint8_t page[CPAGES_PAGE_BYTES];
        sqlite3_int64 page_at = offset / CPAGES_PAGE_BYTES * CPAGES_PAGE_BYTES;
        int code = BELOW->pMethods->xRead(BELOW, page, sizeof page, page_at);
        if (code == SQLITE_IOERR_SHORT_READ) {
            memset(bytes, 0, (size_t)count);
            return judge_end(file, page_at);
        }
        if (code == SQLITE_OK) code = cpages_judge((cpages_database *)file, page, number_at(page_at), 0);
        if (code != SQLITE_OK) return code;
        int from = (int)(offset - page_at);
        int part = count < CPAGES_PAGE_BYTES - from ? count : CPAGES_PAGE_BYTES - from;
        memcpy(bytes, page + from, (size_t)part);
        bytes += part;
        offset += part;
        count -= part;
    }
    return SQLITE_OK;
}

static int read_bytes(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    cpages_database *self = (cpages_database *)file;
    // The head is read before the log is known. What counts in it is checked with its page.
    int is_head = offset + count <= CPAGES_HEAD_BYTES;
    int is_page = count == CPAGES_PAGE_BYTES && offset % CPAGES_PAGE_BYTES == 0;
    if (self->form == CPAGES_CHECKED && !is_head && !is_page) return read_parts(file, bytes, count, offset);
    int code = BELOW->pMethods->xRead(BELOW, bytes, count, offset);
    if (code == SQLITE_OK && offset == 0 && count >= CPAGES_HEAD_BYTES) learn(self, bytes);
    if (self->form != CPAGES_CHECKED || !is_page) return code;
    if (code == SQLITE_IOERR_SHORT_READ) return judge_end(file, offset);
    return code == SQLITE_OK ? cpages_judge(self, bytes, number_at(offset), 0) : code;
}

static int write_bytes(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    cpages_database *self = (cpages_database *)file;
    if (offset == 0 && count >= CPAGES_HEAD_BYTES) learn(self, bytes);
    if (self->form != CPAGES_CHECKED) return BELOW->pMethods->xWrite(BELOW, bytes, count, offset);
    // SQLite writes nothing but pages.
    if (count != CPAGES_PAGE_BYTES || offset % CPAGES_PAGE_BYTES != 0) return SQLITE_IOERR_WRITE;
    uint32_t number = number_at(offset);
    // A checkpoint: from the log as it is, with its checksum. In a log's mode nothing else is written here, and the mode
    // changes under a lock only.
    int is_moved = self->sound == bytes && self->sound_number == number && self->sound_turn == self->turn;
    self->sound = NULL;
    if (is_moved) return BELOW->pMethods->xWrite(BELOW, bytes, count, offset);
    uint8_t page[CPAGES_PAGE_BYTES];
    memcpy(page, bytes, sizeof page);
    cpages_put(page, number);
    return BELOW->pMethods->xWrite(BELOW, page, sizeof page, offset);
}

// Everything else is as it is below.

static int close_file(sqlite3_file *file) { return BELOW->pMethods->xClose(BELOW); }
static int truncate_file(sqlite3_file *file, sqlite3_int64 size) { return BELOW->pMethods->xTruncate(BELOW, size); }
static int sync_file(sqlite3_file *file, int flags) { return BELOW->pMethods->xSync(BELOW, flags); }
static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return BELOW->pMethods->xFileSize(BELOW, size); }
static int lock(sqlite3_file *file, int level) { return BELOW->pMethods->xLock(BELOW, level); }
static int unlock(sqlite3_file *file, int level) { return BELOW->pMethods->xUnlock(BELOW, level); }
static int is_reserved(sqlite3_file *file, int *found) { return BELOW->pMethods->xCheckReservedLock(BELOW, found); }
static int control(sqlite3_file *file, int what, void *with) { return BELOW->pMethods->xFileControl(BELOW, what, with); }
static int sector_size(sqlite3_file *file) { return BELOW->pMethods->xSectorSize(BELOW); }

// Later versions of SQLite read parts of pages past the page cache where that is allowed.
static int characteristics(sqlite3_file *file) {
    return BELOW->pMethods->xDeviceCharacteristics(BELOW) & ~SQLITE_IOCAP_SUBPAGE_READ;
}

static int map_shared(sqlite3_file *file, int region, int bytes, int extend, void volatile **mapped) {
    return BELOW->pMethods->xShmMap(BELOW, region, bytes, extend, mapped);
}
static int lock_shared(sqlite3_file *file, int first, int count, int flags) {
    ((cpages_database *)file)->turn++;
    return BELOW->pMethods->xShmLock(BELOW, first, count, flags);
}
static void order_shared(sqlite3_file *file) { BELOW->pMethods->xShmBarrier(BELOW); }
static int unmap_shared(sqlite3_file *file, int removes) { return BELOW->pMethods->xShmUnmap(BELOW, removes); }

// No page is given out by address: what is mapped is not checked.
static int fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **mapped) {
    (void)file, (void)offset, (void)count;
    *mapped = NULL;
    return SQLITE_OK;
}
static int unfetch(sqlite3_file *file, sqlite3_int64 offset, void *mapped) {
    (void)file, (void)offset, (void)mapped;
    return SQLITE_OK;
}

// Without shared memory below, SQLite must not think that there is any.
#define UNSHARED \
    .xClose = close_file, .xRead = read_bytes, .xWrite = write_bytes, .xTruncate = truncate_file, .xSync = sync_file, \
    .xFileSize = file_size, .xLock = lock, .xUnlock = unlock, .xCheckReservedLock = is_reserved, \
    .xFileControl = control, .xSectorSize = sector_size, .xDeviceCharacteristics = characteristics

static const sqlite3_io_methods unshared = {.iVersion = 1, UNSHARED};

static const sqlite3_io_methods shared = {
    .iVersion = 3,
    UNSHARED,
    .xShmMap = map_shared,
    .xShmLock = lock_shared,
    .xShmBarrier = order_shared,
    .xShmUnmap = unmap_shared,
    .xFetch = fetch,
    .xUnfetch = unfetch,
};

const sqlite3_io_methods *cpages_database_methods(const sqlite3_io_methods *below) {
    return below->iVersion >= 2 && below->xShmMap ? &shared : &unshared;
}

cpages_database *cpages_as_database(sqlite3_file *file) {
    int is_one = file && (file->pMethods == &shared || file->pMethods == &unshared);
    return is_one ? (cpages_database *)file : NULL;
}
