// The limit: what a small C program with epoll, SQLite and OpenSSL needs for `/v3/unify` and for a whole OTP session.
//
// It writes the same rows in the same commits, seals the same records, signs and checks the same tokens, and calls fsync
// before the answer. It leaves out on purpose, so that nothing can be much below it: strict JSON (it takes a flat object
// of plain strings), request timeouts, limits, rules, retries, chunked bodies, drain, metrics, migrations.

#ifndef LIMIT_H
#define LIMIT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_REQUEST 16384
#define MAX_ANSWER 2048
#define MAX_RECORD 640
#define SEAL_BYTES 31
#define MAX_SEALED (MAX_RECORD + SEAL_BYTES)
#define MAX_CLAIMS 512
#define MAX_TOKEN 1024
#define SESSION_MS 900000
#define CODE_MS 120000

struct crypto;
struct loop;
struct reader;
struct writer;

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

enum phase { CREATED, ACTIVE, DONE };

/// A session of the flow "mobile" whose fallback is a code.
struct session {
    uint8_t correlation_id[16], auth_id[16];
    int64_t created_ms, expires_ms;
    int events;
    // The request of the backend: the fields of the record that never change, and three of them.
    uint8_t request[384];
    int request_length;
    char number[24], e164[24], client_request_id[256];
    enum phase phase;
    int revision, sends_left, entries_left, tries_left;
    int is_bound, is_code_sent, is_proven, has_holder;
    uint8_t thumbprint[32], holder_id[16];
    int64_t code_expires_ms, proven_ms;
};

/// A client whose token and proof are right.
struct caller {
    uint8_t auth_id[16], thumbprint[32], proof_digest[32];
    int64_t proof_ends_ms;
};

/// A change on its way to the disk.
struct job {
    struct job *next;
    struct connection *connection;
    /// Writes the rows, inside a transaction. 0: a statement failed.
    int (*apply)(struct writer *, struct job *);
    /// The change that follows once this one is durable; `NULL`: the answer follows.
    int (*apply_next)(struct writer *, struct job *);
    int64_t now_ms;
    struct session session;
    char client_id[64];
    struct caller caller;
    uint8_t message_id[16], body_digest[32];
    char code[16], request_id[64];
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

// text.c: JSON, headers and ids.
/// The value of a member of a flat object of plain strings.
int member(const char *body, size_t length, const char *name, char *value, size_t room);
/// The text after `name` in the head; `name` begins with CR LF and is in lower case. Stores its length in `length`.
const char *header(const char *head, const char *name, size_t *length);
int64_t now_ms(void);
void time_ordered_id(int64_t now_ms, uint8_t *id);
void write_id(const uint8_t *id, char *text);
int read_id(const char *text, uint8_t *id);

// crypto.c: one context a thread.
struct crypto *crypto_new(void);
int crypto_issue_access(struct crypto *, const char *tenant, char *token);
/// The token's tenant in `tenant`; 0 unless its signature, audience and life are right. Its signature is checked once.
int crypto_admit(struct crypto *, const char *token, size_t length, char *tenant);
/// With the token's claims, of at most MAX_CLAIMS.
int crypto_issue_auth(struct crypto *, const char *auth_id, int64_t now_s, char *claims, char *token);
int crypto_is_signed_by_auth_key(struct crypto *, const char *token, size_t length);
/// A check by a public key, of which the last ones are kept ready.
int crypto_is_signed_by(struct crypto *, const uint8_t *point, const uint8_t *digest, const uint8_t *raw_signature);
void crypto_digest(struct crypto *, const void *bytes, size_t length, uint8_t *digest);
/// HMAC-SHA-256 by a key of the program.
void crypto_mac(struct crypto *, const void *bytes, size_t length, uint8_t *mac);
/// The context of a sealed value is its column, a zero byte, the id of its row, and more.
int crypto_seal(struct crypto *, const uint8_t *plain, int length, const uint8_t *context, int context_length,
                uint8_t *sealed);
int crypto_open(struct crypto *, const uint8_t *sealed, int length, const uint8_t *context, int context_length,
                uint8_t *plain);
void crypto_random(uint8_t *bytes, int count);
void crypto_setup(const char *public_url);
const char *public_url(void);
size_t base64url_encode(const uint8_t *bytes, size_t count, char *text);
int base64url_decode(const char *text, size_t length, uint8_t *bytes, size_t room);
/// A string or number member of claims whose form we know.
int claim(const char *claims, const char *name, char *value, size_t room);

// proof.c: the token and the DPoP proof of a client.
int proof_admit(struct crypto *, const char *head, struct caller *);
/// A token that was signed here needs no check of its signature.
void proof_remember(struct crypto *, const char *token, int length, const char *claims);

// record.c: a session as the record of its row.
int session_seal(struct crypto *, const struct session *, uint8_t *sealed);
int session_open(struct crypto *, const uint8_t *sealed, int length, struct session *);
/// Adds only the session's state, as in the answer that is kept for a retry.
int session_add_state(uint8_t *record, int length, const struct session *);
/// A new session; `client_request_id` is set.
void session_start(struct session *, const char *number, int64_t now_ms, int mobile_auth, int allow_phone_change);
int add_number(uint8_t *record, int length, uint64_t value);
int add_bytes(uint8_t *record, int length, const void *bytes, int count);
int add_text(uint8_t *record, int length, const char *text);

// store.c: the writer with group commit, and a reader a loop.
enum statement {
    ADD_SESSION, FIND_SESSION, SAVE_SESSION, ADD_EVENT, USE_PROOF, FIND_COUNT, SAVE_COUNT, ADD_MESSAGE, NOTE_SENT,
    NOTE_DELIVERED, FIND_IDENTITY, ADD_IDENTITY, KEEP_REPLY, MARK_COMMIT, STATEMENTS
};
void store_open(const char *path, const char *migrations);
void store_submit(struct job *);
/// Whether there is a tenant of this id, and its rules.
int store_tenant(const char *id, int *mobile_auth, int *allow_phone_change);
/// Runs a statement that changes rows. A letter of `form` for each value: b bytes and their count, t text, i int64_t,
/// n NULL. The changed rows, or -1.
int store_run(struct writer *, enum statement, const char *form, ...);
/// The first column of the row with a key, and its length; -1: there is none.
int store_find(struct writer *, enum statement, const void *key, int key_length, uint8_t *value, int room);
/// Reads and opens a session.
int store_load(struct writer *, const uint8_t *auth_id, struct session *, int64_t *row, uint8_t *code_digest);
struct crypto *store_crypto(struct writer *);
struct reader *reader_open(const char *path);
/// Bytes of the sealed record, or -1.
int reader_session(struct reader *, const uint8_t *correlation_id, uint8_t *sealed);

// unify.c and session.c: the endpoints. Each writes a whole HTTP answer, or returns 0 when a job was submitted.
int unify_start(struct loop *, struct connection *, const char *head, const char *body, size_t length, char *answer);
int unify_status(struct loop *, const char *head, const char *body, size_t length, char *answer);
int session_redeem(struct loop *, struct connection *, const char *head, const char *body, size_t length, char *answer);
int session_send(struct loop *, struct connection *, const char *head, const char *body, size_t length, char *answer);
int session_verify(struct loop *, struct connection *, const char *head, const char *body, size_t length, char *answer);

// main.c
int answer_json(struct loop *, int status, const char *body, int length, char *answer);
void job_start(struct job *, struct connection *, int (*apply)(struct writer *, struct job *),
               int (*apply_next)(struct writer *, struct job *));
void loop_done(struct job *);

#endif
