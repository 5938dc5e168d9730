// P-256 keys, JWS and DPoP proofs as a client makes them, and what a signature costs by itself.
#include "load.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct key {
    EVP_PKEY *pair;
    char jwk[192], thumbprint[48];
};

int base64url_encode(const uint8_t *bytes, size_t count, char *text) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    int out = 0;
    uint32_t bits = 0;
    int have = 0;
    for (size_t i = 0; i < count; i++) {
        bits = bits << 8 | bytes[i];
        for (have += 8; have >= 6;) text[out++] = alphabet[bits >> (have -= 6) & 63];
    }
    if (have > 0) text[out++] = alphabet[bits << (6 - have) & 63];
    text[out] = 0;
    return out;
}

int base64url_decode(const char *text, size_t length, uint8_t *bytes, size_t room) {
    uint32_t bits = 0;
    int have = 0;
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        int v = c >= 'A' && c <= 'Z'   ? c - 'A'
                : c >= 'a' && c <= 'z' ? c - 'a' + 26
                : c >= '0' && c <= '9' ? c - '0' + 52
                : c == '-'             ? 62
                : c == '_'             ? 63
                                       : -1;
        if (v < 0) return -1;
        bits = bits << 6 | (uint32_t)v;
        if ((have += 6) < 8) continue;
        if (out == room) return -1;
        bytes[out++] = bits >> (have -= 8) & 0xFF;
    }
    return (int)out;
}

struct key *key_new(void) {
    struct key *key = calloc(1, sizeof *key);
    uint8_t point[65];
    size_t length = 0;
    uint8_t digest[32];
    char x[64], y[64];
    key->pair = EVP_EC_gen("P-256");
    if (!key->pair ||
        EVP_PKEY_get_octet_string_param(key->pair, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &length) != 1 ||
        length != 65)
        abort();
    base64url_encode(point + 1, 32, x);
    base64url_encode(point + 33, 32, y);
    // In the order of RFC 7638, so that the thumbprint is the digest of just this text.
    int count = snprintf(key->jwk, sizeof key->jwk, "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}", x, y);
    EVP_Digest(key->jwk, count, digest, NULL, EVP_sha256(), NULL);
    base64url_encode(digest, 32, key->thumbprint);
    return key;
}

void key_free(struct key *key) {
    EVP_PKEY_free(key->pair);
    free(key);
}

static void raw_signature(const uint8_t *der, uint8_t *raw) {
    const uint8_t *at = der + 2;
    memset(raw, 0, 64);
    for (int part = 0; part < 2; part++) {
        int length = at[1];
        const uint8_t *from = at + 2;
        at = from + length;
        while (length > 32) from++, length--;
        memcpy(raw + part * 32 + 32 - length, from, length);
    }
}

static int jws(const struct key *key, const char *type, const char *claims, int claims_length, char *text) {
    char header[320];
    uint8_t der[80], raw[64];
    size_t size = sizeof der;
    int count = snprintf(header, sizeof header, "{\"alg\":\"ES256\",\"jwk\":%s,\"typ\":\"%s\"}", key->jwk, type);
    int length = base64url_encode((uint8_t *)header, count, text);
    text[length++] = '.';
    length += base64url_encode((const uint8_t *)claims, claims_length, text + length);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key->pair) != 1 ||
        EVP_DigestSign(context, der, &size, (uint8_t *)text, length) != 1)
        abort();
    EVP_MD_CTX_free(context);
    raw_signature(der, raw);
    text[length++] = '.';
    return length + base64url_encode(raw, 64, text + length);
}

int key_dpop(struct key *key, const char *method, const char *url, const char *token, const char *nonce, char *proof) {
    char claims[1024], jti[32], ath[64];
    uint8_t random[16], digest[32];
    if (RAND_bytes(random, 16) != 1) abort();
    base64url_encode(random, 16, jti);
    EVP_Digest(token, strlen(token), digest, NULL, EVP_sha256(), NULL);
    base64url_encode(digest, 32, ath);
    int count = snprintf(claims, sizeof claims,
                         "{\"jti\":\"%s\",\"htm\":\"%s\",\"htu\":\"%s\",\"iat\":%lld,\"ath\":\"%s\",\"nonce\":\"%s\"}",
                         jti, method, url, (long long)time(NULL), ath, nonce);
    return jws(key, "dpop+jwt", claims, count, proof);
}

int key_device_proof(struct key *key, const struct key *session_key, const char *audience, const char *auth_id,
                     const char *challenge, char *proof) {
    char claims[1024];
    int count = snprintf(claims, sizeof claims,
                         "{\"aud\":\"%s\",\"sub\":\"%s\",\"nonce\":\"%s\",\"iat\":%lld,\"op\":\"authenticate\","
                         "\"cnf\":{\"jkt\":\"%s\"}}",
                         audience, auth_id, challenge, (long long)time(NULL), session_key->thumbprint);
    return jws(key, "device-proof+jwt", claims, count, proof);
}

static double cpu_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/// CPU of one ES256 signature and of one check over 400 bytes, keys and contexts made before.
int run_crypto(int count, char **arguments) {
    enum { rounds = 3000 };
    EVP_PKEY *pair = EVP_EC_gen("P-256");
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t text[400] = {0}, der[80];
    size_t size = sizeof der;
    double began = cpu_us();
    for (int i = 0; i < rounds; i++) {
        size = sizeof der;
        text[0] = i;
        EVP_MD_CTX_reset(context);
        if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, pair) != 1 ||
            EVP_DigestSign(context, der, &size, text, sizeof text) != 1)
            abort();
    }
    double sign = (cpu_us() - began) / rounds;
    began = cpu_us();
    for (int i = 0; i < rounds; i++) {
        EVP_MD_CTX_reset(context);
        if (EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, pair) != 1 ||
            EVP_DigestVerify(context, der, size, text, sizeof text) != 1)
            abort();
    }
    printf("{\"sign_us\":%.2f,\"verify_us\":%.2f}\n", sign, (cpu_us() - began) / rounds);
    return 0;
}
