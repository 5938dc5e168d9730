// The load that wrk cannot give: a constant rate, whole sessions of a client with keys, and idle connections.

#ifndef LOAD_H
#define LOAD_H

#include <stddef.h>
#include <stdint.h>

#define MAX_INPUT 16384

/// One keep-alive connection with at most one request under way.
struct connection {
    int fd;
    size_t length;
    char input[MAX_INPUT + 1];
};

/// The answer that stands at the front of a connection's input.
struct answer {
    int status;
    const char *body;
    size_t body_length, total;
};

/// The bytes of a file.
char *request_read(const char *path, size_t *length);

void connection_open(struct connection *, int port);
/// The same without waiting for the peer.
void connection_begin(struct connection *, int port);
void connection_send(struct connection *, const char *bytes, size_t length);
/// 0: there is no room, or it is not open yet; -1: the peer has gone.
int connection_try_send(struct connection *, const char *bytes, size_t length);
/// Reads what is there. 0: the peer has closed.
int connection_read(struct connection *);
/// 1 when a whole answer has come.
int connection_answer(struct connection *, struct answer *);
void connection_consume(struct connection *, const struct answer *);

/// Latencies in microseconds: exact to 1/64 of their size.
struct latencies {
    uint64_t counts[64 * 32], total, max;
};
void latencies_add(struct latencies *, uint64_t us);
double latencies_at(const struct latencies *, double quantile);
void latencies_print(const struct latencies *);

/// Nanoseconds of the monotonic clock.
int64_t now_ns(void);

// Keys and JWS, as a client has them.
struct key;
struct key *key_new(void);
void key_free(struct key *);
/// `{"typ":"dpop+jwt"}` proof (RFC 9449). Returns its length.
int key_dpop(struct key *, const char *method, const char *url, const char *token, const char *nonce, char *proof);
/// `{"typ":"device-proof+jwt"}`: the device key's statement about a session of `session_key`. Returns its length.
int key_device_proof(struct key *, const struct key *session_key, const char *audience, const char *auth_id,
                     const char *challenge, char *proof);
int base64url_encode(const uint8_t *, size_t, char *);
int base64url_decode(const char *, size_t, uint8_t *, size_t room);

int run_rate(int count, char **arguments);
int run_overload(int count, char **arguments);
int run_sessions(int count, char **arguments);
int run_idle(int count, char **arguments);
int run_crypto(int count, char **arguments);

#endif
