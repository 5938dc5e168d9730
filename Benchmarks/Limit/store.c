// One writer thread with group commit over the product's schema: what arrived during the last fsync shares the next.
#include "limit.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdarg.h>
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

/// The thread that writes.
struct writer {
    sqlite3_stmt *statements[STATEMENTS];
    struct crypto *crypto;
    int64_t commits;
};

// A statement contains its constants, and does not name columns that stay NULL.
static const char *const sql[STATEMENTS] = {
    [ADD_SESSION] = "INSERT INTO sessions (correlation_id, auth_id, client_id, phase, record_sealed)"
                    " VALUES (?1, ?2, ?3, 'created', ?4)",
    [FIND_SESSION] = "SELECT rowid, correlation_id, otp_digest, record_sealed FROM sessions WHERE auth_id = ?1",
    [SAVE_SESSION] = "UPDATE sessions SET phase = ?1, otp_digest = ?2, otp_expires_at_ms = ?3, record_sealed = ?4"
                     " WHERE rowid = ?5",
    [ADD_EVENT] = "INSERT INTO session_events (correlation_id, number, kind, at_ms, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
    [USE_PROOF] = "INSERT OR IGNORE INTO used_proofs (auth_id, jti_digest, valid_until_ms) VALUES (?1, ?2, ?3)",
    [FIND_COUNT] = "SELECT tally FROM limit_counts WHERE key_digest = ?1",
    [SAVE_COUNT] = "INSERT INTO limit_counts (key_digest, tally, ends_at_ms) VALUES (?1, ?2, ?3)"
                   " ON CONFLICT (key_digest) DO UPDATE SET tally = excluded.tally, ends_at_ms = excluded.ends_at_ms",
    [ADD_MESSAGE] = "INSERT INTO messages (correlation_id, message_id, state, holder, message_sealed)"
                    " VALUES (?1, ?2, 'queued', 1, ?3)",
    [NOTE_SENT] = "UPDATE messages SET state = 'sent', holder = NULL, message_sealed = NULL, gateway = 'sandbox-sms',"
                  " channel = 'sms' WHERE correlation_id = ?1 AND message_id = ?2 AND state = 'queued'",
    [NOTE_DELIVERED] = "UPDATE messages SET carrier_end = 'delivered', receipt_due_ms = NULL"
                       " WHERE correlation_id = ?1 AND message_id = ?2",
    [FIND_IDENTITY] = "SELECT prove_id FROM identities WHERE client_id = 'sandbox' AND number_index = ?1",
    [ADD_IDENTITY] = "INSERT INTO identities (prove_id, client_id, number_index, number_sealed, is_proven)"
                     " VALUES (?1, 'sandbox', ?2, ?3, 1)",
    [KEEP_REPLY] = "INSERT OR REPLACE INTO replayed_replies"
                   " (correlation_id, path, request_id, reply_sealed, request_body_digest) VALUES (?1, ?2, ?3, ?4, ?5)",
    [MARK_COMMIT] = "INSERT INTO commit_mark (number, commits, chain) VALUES (1, ?1, ?2)"
                    " ON CONFLICT (number) DO UPDATE SET commits = excluded.commits, chain = excluded.chain",
};

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

struct crypto *store_crypto(struct writer *writer) { return writer->crypto; }

int store_run(struct writer *writer, enum statement which, const char *form, ...) {
    sqlite3_stmt *statement = writer->statements[which];
    va_list values;
    va_start(values, form);
    for (int i = 1; *form; form++, i++) {
        switch (*form) {
        case 'b': {
            const void *bytes = va_arg(values, const void *);
            sqlite3_bind_blob(statement, i, bytes, va_arg(values, int), SQLITE_STATIC);
            break;
        }
        case 't': sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_STATIC); break;
        case 'i': sqlite3_bind_int64(statement, i, va_arg(values, int64_t)); break;
        default: sqlite3_bind_null(statement, i);
        }
    }
    va_end(values);
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? sqlite3_changes(db) : -1;
}

/// The bytes of a column, which fit; -1: it is NULL.
static int copy(sqlite3_stmt *statement, int column, uint8_t *value, int room) {
    int length = sqlite3_column_bytes(statement, column);
    if (sqlite3_column_type(statement, column) == SQLITE_NULL || length > room) return -1;
    memcpy(value, sqlite3_column_blob(statement, column), length);
    return length;
}

int store_find(struct writer *writer, enum statement which, const void *key, int key_length, uint8_t *value, int room) {
    sqlite3_stmt *statement = writer->statements[which];
    sqlite3_bind_blob(statement, 1, key, key_length, SQLITE_STATIC);
    int length = sqlite3_step(statement) == SQLITE_ROW ? copy(statement, 0, value, room) : -1;
    sqlite3_reset(statement);
    return length;
}

int store_load(struct writer *writer, const uint8_t *auth_id, struct session *session, int64_t *row,
               uint8_t *code_digest) {
    sqlite3_stmt *statement = writer->statements[FIND_SESSION];
    uint8_t sealed[MAX_SEALED];
    int length = -1;
    sqlite3_bind_blob(statement, 1, auth_id, 16, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        *row = sqlite3_column_int64(statement, 0);
        memcpy(session->auth_id, auth_id, 16);
        copy(statement, 1, session->correlation_id, 16);
        copy(statement, 2, code_digest, 32);
        length = copy(statement, 3, sealed, sizeof sealed);
    }
    sqlite3_reset(statement);
    return length >= 0 && session_open(writer->crypto, sealed, length, session);
}

static int mark_commit(struct writer *writer) {
    int64_t chain;
    crypto_random((uint8_t *)&chain, sizeof chain);
    return store_run(writer, MARK_COMMIT, "ii", ++writer->commits, chain);
}

static void *write_all(void *unused) {
    (void)unused;
    sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE"), *commit = prepare(db, "COMMIT");
    sqlite3_stmt *rollback = prepare(db, "ROLLBACK"), *save = prepare(db, "SAVEPOINT one");
    sqlite3_stmt *release = prepare(db, "RELEASE one"), *back = prepare(db, "ROLLBACK TO one");
    struct writer writer = {.crypto = crypto_new()};
    for (int i = 0; i < STATEMENTS; i++) writer.statements[i] = prepare(db, sql[i]);
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
        while (failed && failed->apply(&writer, failed)) failed = failed->next;
        if (failed) {
            step(rollback);
            step(begin);
            for (struct job *job = batch; job; job = job->next) {
                step(save);
                job->failed = !job->apply(&writer, job);
                if (job->failed) step(back);
                step(release);
            }
        }
        if (mark_commit(&writer) < 0) abort();
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
