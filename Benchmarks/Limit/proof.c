// The token of a client, and the DPoP proof of its call (RFC 9449).
#include "limit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLACES = 4096, WINDOW_S = 60 };

/// A token that this program has signed or checked.
struct known_token {
    uint8_t digest[32], auth_id[16];
    char nonce[32];
    int64_t ends_s;
};

static struct known_token tokens[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t place(const uint8_t *digest) { return (digest[0] | digest[1] << 8) % PLACES; }

static int read_claims(const char *claims, struct known_token *token) {
    char id[40], end[24];
    if (!claim(claims, "sub", id, sizeof id) || !read_id(id, token->auth_id)) return 0;
    if (!claim(claims, "nonce", token->nonce, sizeof token->nonce) || !claim(claims, "exp", end, sizeof end)) return 0;
    token->ends_s = atoll(end);
    return 1;
}

static void remember(const struct known_token *token) {
    pthread_mutex_lock(&lock);
    tokens[place(token->digest)] = *token;
    pthread_mutex_unlock(&lock);
}

void proof_remember(struct crypto *crypto, const char *text, int length, const char *claims) {
    struct known_token token;
    crypto_digest(crypto, text, length, token.digest);
    if (!read_claims(claims, &token)) abort();
    remember(&token);
}

/// The middle part of a JWS as text.
static int middle(const char *text, size_t length, char *claims, size_t room) {
    const char *first = memchr(text, '.', length);
    const char *second = first ? memchr(first + 1, '.', length - (first + 1 - text)) : NULL;
    int count = second ? base64url_decode(first + 1, second - first - 1, (uint8_t *)claims, room - 1) : -1;
    if (count < 0) return 0;
    claims[count] = 0;
    return 1;
}

static int known(struct crypto *crypto, const char *text, size_t length, struct known_token *token) {
    uint8_t digest[32];
    char claims[MAX_CLAIMS], audience[160], value[160];
    crypto_digest(crypto, text, length, digest);
    pthread_mutex_lock(&lock);
    *token = tokens[place(digest)];
    pthread_mutex_unlock(&lock);
    if (memcmp(token->digest, digest, 32) != 0) {
        snprintf(audience, sizeof audience, "%s/client/v1", public_url());
        memcpy(token->digest, digest, 32);
        if (!middle(text, length, claims, sizeof claims) || !read_claims(claims, token)) return 0;
        if (!claim(claims, "aud", value, sizeof value) || strcmp(value, audience) != 0) return 0;
        if (!crypto_is_signed_by_auth_key(crypto, text, length)) return 0;
        remember(token);
    }
    return time(NULL) < token->ends_s;
}

/// The key in the header of a proof: its point, and its thumbprint (RFC 7638).
static int read_key(struct crypto *crypto, const char *text, size_t length, uint8_t *point, uint8_t *thumbprint) {
    char head[512], x[64], y[64], key[256];
    const char *end = memchr(text, '.', length);
    int count = end ? base64url_decode(text, end - text, (uint8_t *)head, sizeof head - 1) : -1;
    if (count < 0) return 0;
    head[count] = 0;
    if (!claim(head, "x", x, sizeof x) || !claim(head, "y", y, sizeof y)) return 0;
    point[0] = 4;
    if (base64url_decode(x, strlen(x), point + 1, 32) != 32) return 0;
    if (base64url_decode(y, strlen(y), point + 33, 32) != 32) return 0;
    count = snprintf(key, sizeof key, "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}", x, y);
    crypto_digest(crypto, key, count, thumbprint);
    return 1;
}

static int fits(const char *claims, const char *head, const struct known_token *token, int64_t issued_s) {
    char value[256], target[256], digest[64];
    const char *path = strchr(head, ' ') + 1;
    snprintf(target, sizeof target, "%s%.*s", public_url(), (int)strcspn(path, " "), path);
    base64url_encode(token->digest, 32, digest);
    return claim(claims, "htm", value, sizeof value) && strcmp(value, "POST") == 0 &&
           claim(claims, "htu", value, sizeof value) && strcmp(value, target) == 0 &&
           claim(claims, "ath", value, sizeof value) && strcmp(value, digest) == 0 &&
           claim(claims, "nonce", value, sizeof value) && strcmp(value, token->nonce) == 0 &&
           llabs(issued_s - time(NULL)) <= WINDOW_S;
}

int proof_admit(struct crypto *crypto, const char *head, struct caller *caller) {
    struct known_token token;
    uint8_t point[65], raw[64], digest[32];
    char claims[1024], value[160];
    size_t token_length, length;
    const char *credential = header(head, "\r\nauthorization: dpop ", &token_length);
    const char *proof = header(head, "\r\ndpop: ", &length);
    if (!credential || !proof || !known(crypto, credential, token_length, &token)) return 0;
    if (!middle(proof, length, claims, sizeof claims) || !claim(claims, "iat", value, sizeof value)) return 0;
    int64_t issued_s = atoll(value);
    if (!fits(claims, head, &token, issued_s) || !claim(claims, "jti", value, sizeof value)) return 0;
    if (!read_key(crypto, proof, length, point, caller->thumbprint)) return 0;
    const char *end = memrchr(proof, '.', length);
    if (base64url_decode(end + 1, length - (end + 1 - proof), raw, 64) != 64) return 0;
    crypto_digest(crypto, proof, end - proof, digest);
    if (!crypto_is_signed_by(crypto, point, digest, raw)) return 0;
    memcpy(caller->auth_id, token.auth_id, 16);
    crypto_digest(crypto, value, strlen(value), caller->proof_digest);
    caller->proof_ends_ms = (issued_s + WINDOW_S + 1) * 1000;
    return 1;
}
