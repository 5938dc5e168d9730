// The write-ahead log (sqlite.org/fileformat2.html section 4): a head of 32 bytes, then frames of a page each, behind a
// head of 24 bytes.
//
// SQLite writes a frame's head, with a checksum that runs over all frames so far, and then the page. That page gets our
// checksum, so the running one has to be made again, from the frame before it as the file has it. Whoever reads the log
// finds both right, with this VFS and without, and a page that is moved to the database brings its checksum along. What
// SQLite keeps of the running checksum in memory goes into the next head only, and is replaced there.
//
// SQLite has summed the page once. Its sum becomes the right one by two corrections: for where the frame went on from, and
// for the last words of the page (`correct`). Summing each page again cost a unify 4 % of its processor time.

#include "pages.h"

#include <string.h>

#define BELOW cpages_below_log(file)

enum { LOG_HEAD_BYTES = 32, FRAME_HEAD_BYTES = 24, FRAME_BYTES = FRAME_HEAD_BYTES + CPAGES_PAGE_BYTES };

static uint32_t big(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put_big(uint8_t *bytes, uint32_t word) {
    for (int index = 0; index < 4; index++) bytes[index] = (uint8_t)(word >> (24 - 8 * index));
}

static void words_at(const uint8_t *bytes, int is_swapped, uint32_t words[2]) {
    memcpy(words, bytes, 2 * sizeof words[0]);
    if (is_swapped) words[0] = __builtin_bswap32(words[0]), words[1] = __builtin_bswap32(words[1]);
}

// The running checksum: two sums, each over the other (section 4.2). Words are in the order of the head's magic number.
static void run_on(uint32_t sums[2], const uint8_t *bytes, int count, int is_swapped) {
    uint32_t first = sums[0], second = sums[1];
    for (int index = 0; index < count; index += 8) {
        uint32_t words[2];
        words_at(bytes + index, is_swapped, words);
        first += words[0] + second;
        second += words[1] + first;
    }
    sums[0] = first;
    sums[1] = second;
}

// What a change of the sums before a frame is behind it. A step of `run_on` takes (a, b) to (a + b, a + 2b) and adds what
// the words say, so 513 steps multiply by the Fibonacci numbers 1025 to 1027, modulo 2^32.
static void carry(uint32_t sums[2]) {
    static const uint32_t LOW = 0xCBFBC11Du, MIDDLE = 0xF70A9B58u, HIGH = 0xC3065C75u;
    uint32_t first = LOW * sums[0] + MIDDLE * sums[1];
    sums[1] = MIDDLE * sums[0] + HIGH * sums[1];
    sums[0] = first;
}

// Finds what a frame at this place goes on from: the frame before it, or the log's head, as the file has them.
static int find_sums(sqlite3_file *file, sqlite3_int64 at) {
    cpages_log *self = (cpages_log *)file;
    uint8_t head[LOG_HEAD_BYTES], before[8];
    int code = BELOW->pMethods->xRead(BELOW, head, sizeof head, 0);
    if (code != SQLITE_OK) return SQLITE_IOERR_WRITE;
    if (at == LOG_HEAD_BYTES)
        memcpy(before, head + 24, sizeof before);
    else
        code = BELOW->pMethods->xRead(BELOW, before, sizeof before, at - FRAME_BYTES + 16);
    if (code != SQLITE_OK) return SQLITE_IOERR_WRITE;
    self->sums[0] = big(before);
    self->sums[1] = big(before + 4);
    self->is_swapped = (head[3] & 1) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    return SQLITE_OK;
}

static void put_sums(const cpages_log *self, uint8_t *head) {
    put_big(head + 16, self->sums[0]);
    put_big(head + 20, self->sums[1]);
}

// Puts the running checksum into a whole frame, over all its bytes.
static int chain(sqlite3_file *file, uint8_t *frame, sqlite3_int64 at) {
    cpages_log *self = (cpages_log *)file;
    self->next_at = 0;
    int code = find_sums(file, at);
    if (code != SQLITE_OK) return code;
    run_on(self->sums, frame, 8, self->is_swapped);
    run_on(self->sums, frame + FRAME_HEAD_BYTES, CPAGES_PAGE_BYTES, self->is_swapped);
    put_sums(self, frame);
    return SQLITE_OK;
}

// Puts the page's checksum and the running one into a whole frame right behind the one before.
static void correct(cpages_log *self, uint8_t *frame) {
    uint8_t *page = frame + FRAME_HEAD_BYTES;
    uint32_t old[2], new[2], theirs[2] = {big(frame + 16), big(frame + 20)};
    words_at(page + CPAGES_SUMMED_BYTES, self->is_swapped, old);
    cpages_put(page, big(frame));
    words_at(page + CPAGES_SUMMED_BYTES, self->is_swapped, new);
    for (int index = 0; index < 2; index++) self->sums[index] -= self->theirs[index];
    carry(self->sums);
    self->sums[0] += theirs[0] + (new[0] - old[0]);
    self->sums[1] += theirs[1] + (new[0] - old[0]) + (new[1] - old[1]);
    put_sums(self, frame);
}

// Writes a head that no page has followed: SQLite does so to repeat the running checksum after it has written a page of
// the same transaction over. The page is in the file then. It is done before anything else is, a sync of the commit too.
static int finish_head(sqlite3_file *file) {
    cpages_log *self = (cpages_log *)file;
    if (self->filled == 0) return SQLITE_OK;
    int filled = self->filled;
    self->filled = 0;
    uint8_t *page = self->frame + FRAME_HEAD_BYTES;
    if (filled != FRAME_HEAD_BYTES) return SQLITE_IOERR_WRITE;
    int code = BELOW->pMethods->xRead(BELOW, page, CPAGES_PAGE_BYTES, self->frame_at + FRAME_HEAD_BYTES);
    // Nothing else must become a frame that SQLite would take.
    if (code != SQLITE_OK || !cpages_is_sound(page, big(self->frame))) return SQLITE_IOERR_WRITE;
    code = chain(file, self->frame, self->frame_at);
    if (code != SQLITE_OK) return code;
    return BELOW->pMethods->xWrite(BELOW, self->frame, FRAME_HEAD_BYTES, self->frame_at);
}

static int begin_frame(sqlite3_file *file, const void *head, sqlite3_int64 offset) {
    cpages_log *self = (cpages_log *)file;
    if (!self->frame) self->frame = sqlite3_malloc(FRAME_BYTES);
    if (!self->frame) return SQLITE_IOERR_NOMEM;
    memcpy(self->frame, head, FRAME_HEAD_BYTES);
    self->frame_at = offset;
    self->filled = FRAME_HEAD_BYTES;
    return SQLITE_OK;
}

// The page comes in one part, or in two with a sync between them. The frame is written whole: one call of the system
// instead of two.
static int add_to_frame(sqlite3_file *file, const void *bytes, int count) {
    cpages_log *self = (cpages_log *)file;
    memcpy(self->frame + self->filled, bytes, (size_t)count);
    self->filled += count;
    if (self->filled < FRAME_BYTES) return SQLITE_OK;
    self->filled = 0;
    // Behind a page that was written over, SQLite leaves the sums at 0 and repeats them. They are right then.
    uint32_t theirs[2] = {big(self->frame + 16), big(self->frame + 20)};
    int code = SQLITE_OK;
    if (self->next_at == self->frame_at && self->turn == self->database->turn) {
        correct(self, self->frame);
    } else {
        cpages_put(self->frame + FRAME_HEAD_BYTES, big(self->frame));
        code = chain(file, self->frame, self->frame_at);
    }
    self->next_at = 0;
    if (code == SQLITE_OK) code = BELOW->pMethods->xWrite(BELOW, self->frame, FRAME_BYTES, self->frame_at);
    if (code != SQLITE_OK) return code;
    self->next_at = self->frame_at + FRAME_BYTES;
    self->turn = self->database->turn;
    self->theirs[0] = theirs[0];
    self->theirs[1] = theirs[1];
    return SQLITE_OK;
}

// A page of this transaction that is written over: its head stays, until SQLite repeats the running checksum.
static int write_over(sqlite3_file *file, const void *bytes, sqlite3_int64 offset) {
    uint8_t number[4], page[CPAGES_PAGE_BYTES];
    int code = BELOW->pMethods->xRead(BELOW, number, sizeof number, offset - FRAME_HEAD_BYTES);
    if (code != SQLITE_OK) return SQLITE_IOERR_WRITE;
    memcpy(page, bytes, sizeof page);
    cpages_put(page, big(number));
    ((cpages_log *)file)->next_at = 0;
    return BELOW->pMethods->xWrite(BELOW, page, sizeof page, offset);
}

static int write_bytes(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    cpages_log *self = (cpages_log *)file;
    if (self->database->form != CPAGES_CHECKED) return BELOW->pMethods->xWrite(BELOW, bytes, count, offset);
    int follows = self->filled > 0 && offset == self->frame_at + self->filled;
    if (follows && count <= FRAME_BYTES - self->filled) return add_to_frame(file, bytes, count);
    int code = finish_head(file);
    if (code != SQLITE_OK) return code;
    if (offset == 0 && count == LOG_HEAD_BYTES) {
        self->next_at = 0;
        return BELOW->pMethods->xWrite(BELOW, bytes, count, offset);
    }
    sqlite3_int64 place = (offset - LOG_HEAD_BYTES) % FRAME_BYTES;
    if (place == 0 && count == FRAME_HEAD_BYTES) return begin_frame(file, bytes, offset);
    if (place == FRAME_HEAD_BYTES && count == CPAGES_PAGE_BYTES) return write_over(file, bytes, offset);
    // SQLite writes nothing else.
    return SQLITE_IOERR_WRITE;
}

static int read_bytes(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    cpages_log *self = (cpages_log *)file;
    int code = finish_head(file);
    if (code != SQLITE_OK) return code;
    sqlite3_int64 place = (offset - LOG_HEAD_BYTES) % FRAME_BYTES;
    int is_page = place == FRAME_HEAD_BYTES && count == CPAGES_PAGE_BYTES;
    // Whole frames are read after a crash, and judged by the running checksum.
    if (self->database->form != CPAGES_CHECKED || !is_page) return BELOW->pMethods->xRead(BELOW, bytes, count, offset);
    uint8_t frame[FRAME_BYTES];
    code = BELOW->pMethods->xRead(BELOW, frame, sizeof frame, offset - FRAME_HEAD_BYTES);
    if (code == SQLITE_IOERR_SHORT_READ) memset(frame + FRAME_HEAD_BYTES, 0, CPAGES_PAGE_BYTES);
    if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ)
        code = cpages_judge(self->database, frame + FRAME_HEAD_BYTES, big(frame), 1);
    if (code != SQLITE_OK) return code;
    memcpy(bytes, frame + FRAME_HEAD_BYTES, CPAGES_PAGE_BYTES);
    self->database->sound = bytes;
    self->database->sound_number = big(frame);
    self->database->sound_turn = self->database->turn;
    return SQLITE_OK;
}

static int close_file(sqlite3_file *file) {
    cpages_log *self = (cpages_log *)file;
    int code = finish_head(file);
    sqlite3_free(self->frame);
    self->frame = NULL;
    int closed = BELOW->pMethods->xClose(BELOW);
    return code == SQLITE_OK ? closed : code;
}

// Everything else is as it is below, once a head is written.

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    int code = finish_head(file);
    return code == SQLITE_OK ? BELOW->pMethods->xTruncate(BELOW, size) : code;
}
static int sync_file(sqlite3_file *file, int flags) {
    // Between two parts of a page the sync is for the frames before it.
    int is_between = ((cpages_log *)file)->filled > FRAME_HEAD_BYTES;
    int code = is_between ? SQLITE_OK : finish_head(file);
    return code == SQLITE_OK ? BELOW->pMethods->xSync(BELOW, flags) : code;
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = finish_head(file);
    return code == SQLITE_OK ? BELOW->pMethods->xFileSize(BELOW, size) : code;
}
static int lock(sqlite3_file *file, int level) { return BELOW->pMethods->xLock(BELOW, level); }
static int unlock(sqlite3_file *file, int level) { return BELOW->pMethods->xUnlock(BELOW, level); }
static int is_reserved(sqlite3_file *file, int *found) { return BELOW->pMethods->xCheckReservedLock(BELOW, found); }
static int control(sqlite3_file *file, int what, void *with) { return BELOW->pMethods->xFileControl(BELOW, what, with); }
static int sector_size(sqlite3_file *file) { return BELOW->pMethods->xSectorSize(BELOW); }
static int characteristics(sqlite3_file *file) { return BELOW->pMethods->xDeviceCharacteristics(BELOW); }

const sqlite3_io_methods cpages_log_methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_bytes,
    .xWrite = write_bytes,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = is_reserved,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};
