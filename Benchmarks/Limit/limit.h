// The limit: what a small C program with epoll, SQLite and OpenSSL needs for the same `/v3/unify`.
//
// Same rows, same cryptography, same point read of the tenant, same fsync before the answer. What it leaves out, on
// purpose, so that nothing can be much below it: strict JSON (it takes a flat object of plain strings), request
// timeouts, limits of memory and connections, chunked bodies, drain, metrics, migrations.

#ifndef LIMIT_H
#define LIMIT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_REQUEST 16384
#define MAX_ANSWER 2048
#define MAX_SEALED 512

struct loop;

/// One connection. Owned by its loop; while a job runs, the loop does not read from it.
struct connection {
    int fd;
    int busy;
    int dead;
    size_t length;
    struct loop *loop;
    struct connection *next_done;
    char input[MAX_REQUEST];
};

/// A new session on its way to the disk.
struct job {
    struct job *next;
    struct connection *connection;
    uint8_t correlation_id[16], auth_id[16];
    int64_t now_ms;
    char flow[16], client_request_id[256], client_id[64];
    int mobile_auth, allow_phone_change;
    uint8_t sealed[MAX_SEALED];
    int sealed_length;
    int failed;
    int answer_length;
    char answer[MAX_ANSWER];
};

/// An epoll set and its thread.
struct loop {
    int epoll, wake;
    pthread_mutex_t lock;
    struct job *done;
    struct crypto *crypto;
    struct reader *reader;
    uint64_t random_state;
};

// crypto.c: one context a thread.
struct crypto *crypto_new(void);
int crypto_issue_access(struct crypto *, const char *tenant, char *token);
/// The token's tenant in `tenant`; 0 unless its signature, audience and life are right. Its signature is checked once.
int crypto_admit(struct crypto *, const char *token, size_t length, char *tenant);
int crypto_issue_auth(struct crypto *, const char *auth_id, int64_t now_s, char *token);
int crypto_seal(struct crypto *, const uint8_t *plain, int length, const uint8_t *context, int context_length,
                uint8_t *sealed);
int crypto_open(struct crypto *, const uint8_t *sealed, int length, const uint8_t *context, int context_length,
                uint8_t *plain);
void crypto_random(uint8_t *bytes, int count);
void crypto_setup(const char *public_url);

// store.c: the writer with group commit, and a reader a loop.
void store_open(const char *path, const char *migrations);
void store_submit(struct job *);
/// Whether there is a tenant of this id, and its rules.
int store_tenant(const char *id, int *mobile_auth, int *allow_phone_change);
struct reader *reader_open(const char *path);
/// Bytes of the sealed record, or -1.
int reader_session(struct reader *, const uint8_t *correlation_id, uint8_t *sealed);

// unify.c: the two endpoints; each writes a whole HTTP answer, or returns 0 when a job was submitted.
int unify_start(struct loop *, struct connection *, const char *head, const char *body, size_t length, char *answer);
int unify_status(struct loop *, const char *head, const char *body, size_t length, char *answer);

// main.c
int answer_json(struct loop *, int status, const char *body, int length, char *answer);
void loop_done(struct job *);

#endif
