// One writer thread with group commit over the product's schema: what arrived during the last fsync shares the next.
#include "limit.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static sqlite3 *db;
// The one tenant, remembered as the product does.
static struct {
    char id[64];
    int mobile_auth, allow_phone_change;
} tenant;

static void must(int code, const char *what) {
    if (code == SQLITE_OK) return;
    fprintf(stderr, "limit: %s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static sqlite3_stmt *prepare(sqlite3 *on, const char *sql) {
    sqlite3_stmt *statement = NULL;
    must(sqlite3_prepare_v3(on, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), sql);
    return statement;
}

static void step(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) must(code, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

static int insert(sqlite3_stmt *session, sqlite3_stmt *event, struct job *job) {
    sqlite3_bind_blob(session, 1, job->correlation_id, 16, SQLITE_STATIC);
    sqlite3_bind_blob(session, 2, job->auth_id, 16, SQLITE_STATIC);
    sqlite3_bind_text(session, 3, job->client_id, -1, SQLITE_STATIC);
    sqlite3_bind_blob(session, 4, job->sealed, job->sealed_length, SQLITE_STATIC);
    int code = sqlite3_step(session);
    sqlite3_reset(session);
    job->failed = 1;
    if (code != SQLITE_DONE) return 0;
    sqlite3_bind_blob(event, 1, job->correlation_id, 16, SQLITE_STATIC);
    sqlite3_bind_int64(event, 2, job->now_ms);
    sqlite3_bind_text(event, 3, job->flow, -1, SQLITE_STATIC);
    code = sqlite3_step(event);
    sqlite3_reset(event);
    job->failed = code != SQLITE_DONE;
    return !job->failed;
}

static void *write_all(void *unused) {
    (void)unused;
    sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE"), *commit = prepare(db, "COMMIT");
    sqlite3_stmt *rollback = prepare(db, "ROLLBACK"), *save = prepare(db, "SAVEPOINT one");
    sqlite3_stmt *release = prepare(db, "RELEASE one"), *back = prepare(db, "ROLLBACK TO one");
    // The constants of a new session stand in the statement; what stays NULL is not named.
    sqlite3_stmt *session = prepare(
        db,
        "INSERT INTO sessions (correlation_id, auth_id, client_id, phase, record_sealed)"
        " VALUES (?1, ?2, ?3, 'created', ?4)");
    sqlite3_stmt *event = prepare(
        db, "INSERT INTO session_events (correlation_id, number, kind, at_ms, detail) VALUES (?1, 0, 'created', ?2, ?3)");
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!first) pthread_cond_wait(&filled, &lock);
        struct job *batch = first;
        first = NULL;
        last = &first;
        pthread_mutex_unlock(&lock);

        // A savepoint each only where one has failed.
        step(begin);
        struct job *failed = batch;
        while (failed && insert(session, event, failed)) failed = failed->next;
        if (failed) {
            step(rollback);
            step(begin);
            for (struct job *job = batch; job; job = job->next) {
                step(save);
                if (!insert(session, event, job)) step(back);
                step(release);
            }
        }
        step(commit);
        while (batch) {
            struct job *job = batch;
            batch = job->next;
            loop_done(job);
        }
    }
    return NULL;
}

void store_submit(struct job *job) {
    job->next = NULL;
    pthread_mutex_lock(&lock);
    *last = job;
    last = &job->next;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static int is_sql(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".sql") == 0;
}

static void run_file(const char *folder, const char *name) {
    char path[4096], *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file || getdelim(&text, &room, 0, file) < 0) {
        perror(path);
        exit(1);
    }
    fclose(file);
    must(sqlite3_exec(db, text, NULL, NULL, NULL), name);
    free(text);
}

void store_open(const char *path, const char *migrations) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    must(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL), path);
    must(sqlite3_exec(db,
                      "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                      "PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"
                      "PRAGMA cache_size = -2048; PRAGMA wal_autocheckpoint = 2048",
                      NULL, NULL, NULL),
         "settings");
    struct dirent **names;
    int count = scandir(migrations, &names, is_sql, alphasort);
    for (int i = 0; i < count; i++) run_file(migrations, names[i]->d_name);
    must(sqlite3_exec(db,
                      "INSERT INTO tenants (client_id, allow_phone_change, mobile_auth, any_final_target_host,"
                      " link_match_code, link_same_address, final_target_hosts, allowed_origins, app_hashes,"
                      " calling_codes, mobile_auth_return_urls, created_at_ms)"
                      " VALUES ('sandbox', 1, 1, 1, 0, 0, '', '', '', '', '', 0)",
                      NULL, NULL, NULL),
         "tenant");
    sqlite3_stmt *found = prepare(db, "SELECT client_id, mobile_auth, allow_phone_change FROM tenants");
    if (sqlite3_step(found) != SQLITE_ROW) abort();
    snprintf(tenant.id, sizeof tenant.id, "%s", (const char *)sqlite3_column_text(found, 0));
    tenant.mobile_auth = sqlite3_column_int(found, 1);
    tenant.allow_phone_change = sqlite3_column_int(found, 2);
    sqlite3_finalize(found);
    pthread_t thread;
    if (pthread_create(&thread, NULL, write_all, NULL) != 0) abort();
}

int store_tenant(const char *id, int *mobile_auth, int *allow_phone_change) {
    *mobile_auth = tenant.mobile_auth;
    *allow_phone_change = tenant.allow_phone_change;
    return strcmp(id, tenant.id) == 0;
}

struct reader {
    sqlite3_stmt *session;
};

struct reader *reader_open(const char *path) {
    sqlite3 *on;
    struct reader *reader = calloc(1, sizeof *reader);
    must(sqlite3_open_v2(path, &on, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL), path);
    must(sqlite3_busy_timeout(on, 5000), "busy_timeout");
    reader->session = prepare(on, "SELECT * FROM sessions WHERE correlation_id = ?1");
    return reader;
}

int reader_session(struct reader *reader, const uint8_t *id, uint8_t *sealed) {
    int length = -1;
    sqlite3_bind_blob(reader->session, 1, id, 16, SQLITE_STATIC);
    if (sqlite3_step(reader->session) == SQLITE_ROW) {
        for (int column = 0; column < sqlite3_column_count(reader->session); column++) {
            const char *name = sqlite3_column_name(reader->session, column);
            if (strcmp(name, "record_sealed") == 0 && sqlite3_column_bytes(reader->session, column) <= MAX_SEALED) {
                length = sqlite3_column_bytes(reader->session, column);
                memcpy(sealed, sqlite3_column_blob(reader->session, column), length);
            }
        }
    }
    sqlite3_reset(reader->session);
    return length;
}
