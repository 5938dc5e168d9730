// A program that is not the server and reads its database.
#include "internal.h"

#include <stddef.h>

// Of SQLite, which the server links.
typedef struct sqlite3 sqlite3;
extern int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *vfs);
extern int sqlite3_exec(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
extern int sqlite3_close(sqlite3 *);
enum { READ_ONLY = 1 };

void machine_read_database(const char *path, uint64_t nanoseconds) {
    sqlite3 *database = NULL;
    if (sqlite3_open_v2(path, &database, READ_ONLY, NULL) == 0
        && sqlite3_exec(database, "BEGIN; SELECT count(*) FROM sessions;", NULL, NULL, NULL) == 0) {
        machine_sleep(nanoseconds);
        sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    }
    sqlite3_close(database);
}
