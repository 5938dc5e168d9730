// The VFS: opens databases and their logs with checksums, and hands on everything else.

#include "pages.h"

#include <string.h>

static sqlite3_vfs *below(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int open_database(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out) {
    cpages_database *self = (cpages_database *)file;
    memset(self, 0, sizeof *self);
    sqlite3_file *base = cpages_below_database(file);
    int code = below(vfs)->xOpen(below(vfs), name, base, flags, flags_out);
    if (code == SQLITE_OK) file->pMethods = cpages_database_methods(base->pMethods);
    return code;
}

static int open_log(
    sqlite3_vfs *vfs, cpages_database *database, const char *name, sqlite3_file *file, int flags, int *flags_out) {
    cpages_log *self = (cpages_log *)file;
    memset(self, 0, sizeof *self);
    int code = below(vfs)->xOpen(below(vfs), name, cpages_below_log(file), flags, flags_out);
    self->database = database;
    if (code == SQLITE_OK) file->pMethods = &cpages_log_methods;
    return code;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out) {
    if (name && flags & SQLITE_OPEN_MAIN_DB) return open_database(vfs, name, file, flags, flags_out);
    cpages_database *database = name && flags & SQLITE_OPEN_WAL ? cpages_as_database(sqlite3_database_file_object(name)) : NULL;
    if (database) return open_log(vfs, database, name, file, flags, flags_out);
    return below(vfs)->xOpen(below(vfs), name, file, flags, flags_out);
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
    return below(vfs)->xDelete(below(vfs), name, syncs);
}
static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *found) {
    return below(vfs)->xAccess(below(vfs), name, flags, found);
}
static int full_name(sqlite3_vfs *vfs, const char *name, int count, char *full) {
    return below(vfs)->xFullPathname(below(vfs), name, count, full);
}
static void *open_library(sqlite3_vfs *vfs, const char *name) { return below(vfs)->xDlOpen(below(vfs), name); }
static void library_error(sqlite3_vfs *vfs, int count, char *text) { below(vfs)->xDlError(below(vfs), count, text); }
static void (*library_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    return below(vfs)->xDlSym(below(vfs), library, name);
}
static void close_library(sqlite3_vfs *vfs, void *library) { below(vfs)->xDlClose(below(vfs), library); }
static int random_bytes(sqlite3_vfs *vfs, int count, char *bytes) {
    return below(vfs)->xRandomness(below(vfs), count, bytes);
}
static int sleep_for(sqlite3_vfs *vfs, int microseconds) { return below(vfs)->xSleep(below(vfs), microseconds); }
static int time_now(sqlite3_vfs *vfs, double *days) { return below(vfs)->xCurrentTime(below(vfs), days); }
static int last_error(sqlite3_vfs *vfs, int count, char *text) {
    return below(vfs)->xGetLastError ? below(vfs)->xGetLastError(below(vfs), count, text) : 0;
}
static int milliseconds_now(sqlite3_vfs *vfs, sqlite3_int64 *now) {
    return below(vfs)->xCurrentTimeInt64(below(vfs), now);
}

int cpages_register(const char *name, const char *base) {
    int code = sqlite3_initialize();
    if (code != SQLITE_OK) return code;
    sqlite3_vfs *found = sqlite3_vfs_find(base);
    if (!found) return SQLITE_NOTFOUND;
    if (sqlite3_vfs_find(name)) return SQLITE_OK;
    size_t length = strlen(name) + 1;
    sqlite3_vfs *vfs = sqlite3_malloc64(sizeof *vfs + length);
    if (!vfs) return SQLITE_NOMEM;
    char *kept = memcpy((char *)(vfs + 1), name, length);
    size_t ours = sizeof(cpages_log) > sizeof(cpages_database) ? sizeof(cpages_log) : sizeof(cpages_database);
    *vfs = (sqlite3_vfs){
        // Later versions have system calls to replace: those of the VFS below stay where they are.
        .iVersion = found->iVersion >= 2 ? 2 : 1,
        .szOsFile = found->szOsFile + (int)ours,
        .mxPathname = found->mxPathname,
        .zName = kept,
        .pAppData = found,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_name,
        .xDlOpen = open_library,
        .xDlError = library_error,
        .xDlSym = library_symbol,
        .xDlClose = close_library,
        .xRandomness = random_bytes,
        .xSleep = sleep_for,
        .xCurrentTime = time_now,
        .xGetLastError = last_error,
        .xCurrentTimeInt64 = milliseconds_now,
    };
    return sqlite3_vfs_register(vfs, 0);
}

// What Swift asks of a connection.

static cpages_database *file_of(sqlite3 *database) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return code == SQLITE_OK ? cpages_as_database(file) : NULL;
}

cpages_form cpages_form_of(sqlite3 *database) {
    cpages_database *file = file_of(database);
    return file ? file->form : CPAGES_OTHER;
}

int cpages_reserve(sqlite3 *database) {
    int bytes = CPAGES_RESERVED_BYTES;
    return sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}

cpages_damage cpages_damage_of(sqlite3 *database) {
    cpages_database *file = file_of(database);
    return file ? file->damage : (cpages_damage){0};
}

uint32_t cpages_count(sqlite3 *database) {
    cpages_database *file = file_of(database);
    sqlite3_int64 size = 0;
    if (!file) return 0;
    sqlite3_file *base = cpages_below_database(&file->file);
    if (base->pMethods->xFileSize(base, &size) != SQLITE_OK) return 0;
    return (uint32_t)((size + CPAGES_PAGE_BYTES - 1) / CPAGES_PAGE_BYTES);
}

// Holds SQLite's locks, and no data (sqlite.org/fileformat2.html section 1.2).
static const uint32_t LOCK_PAGE = 0x40000000 / CPAGES_PAGE_BYTES + 1;

int cpages_check(sqlite3 *database, uint32_t first, uint32_t count, uint32_t *found) {
    cpages_database *file = file_of(database);
    if (!file || file->form != CPAGES_CHECKED) return -SQLITE_MISUSE;
    sqlite3_file *base = cpages_below_database(&file->file);
    uint8_t *bytes = sqlite3_malloc64((sqlite3_uint64)count * CPAGES_PAGE_BYTES);
    if (!bytes) return -SQLITE_NOMEM;
    int code = base->pMethods->xRead(
        base, bytes, (int)(count * CPAGES_PAGE_BYTES), (sqlite3_int64)(first - 1) * CPAGES_PAGE_BYTES);
    uint32_t pages = cpages_count(database);
    int damaged = 0;
    // Of a page that is cut off, the rest reads as zeros.
    for (uint32_t index = 0; index < count && first + index <= pages; index++) {
        int is_sound = cpages_is_sound(bytes + (size_t)index * CPAGES_PAGE_BYTES, first + index);
        if (!is_sound && first + index != LOCK_PAGE) found[damaged++] = first + index;
    }
    sqlite3_free(bytes);
    return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ ? damaged : -code;
}
