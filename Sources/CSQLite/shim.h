// libsqlite3: the functions that SQLiteStorage uses, and inline functions for those that Swift cannot import (variadic
// calls, casted macros).
#ifndef HOLDFAST_CSQLITE_H
#define HOLDFAST_CSQLITE_H

#include <sqlite3.h>

/// Binds a copy of the text; zero bytes are an empty text, not NULL.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int number, const char *text, int count) {
    return sqlite3_bind_text(statement, number, text ? text : "", count, SQLITE_TRANSIENT);
}

/// Binds a copy of the bytes; zero bytes are an empty blob, not NULL.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int number, const void *bytes, int count) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, number, 0);
    return sqlite3_bind_blob(statement, number, bytes, count, SQLITE_TRANSIENT);
}

/// Turns off SQLite's memory statistics, and with them a process-wide lock around every allocation. Call before the
/// first open.
static inline int csqlite_stop_counting_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Reads from the write-ahead log of the connection.
static inline int csqlite_read_log(sqlite3 *database, void *bytes, int count, sqlite3_int64 offset) {
    sqlite3_file *log = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code != SQLITE_OK) return code;
    if (!log || !log->pMethods) return SQLITE_NOTFOUND;
    return log->pMethods->xRead(log, bytes, count, offset);
}

/// Syncs the log file, including its length.
static inline int csqlite_sync_log(sqlite3 *database) {
    sqlite3_file *log = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code != SQLITE_OK) return code;
    if (!log || !log->pMethods) return SQLITE_NOTFOUND;
    return log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

/// Switches one SQLITE_DBCONFIG_ option.
static inline int csqlite_configure(sqlite3 *database, int option, int isOn) {
    return sqlite3_db_config(database, option, isOn, (int *)0);
}

#endif
