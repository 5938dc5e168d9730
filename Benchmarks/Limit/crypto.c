// ES256 tokens, AES-256-GCM and random bytes on OpenSSL; contexts are made once a thread.
#include "limit.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { READY_KEYS = 1024 };

/// A client's key, ready for a check.
struct ready_key {
    uint8_t point[65];
    EVP_PKEY_CTX *check;
};

struct crypto {
    EVP_MD_CTX *sign, *verify, *digest;
    EVP_CIPHER_CTX *seal, *open;
    EVP_MAC_CTX *mac;
    struct ready_key keys[READY_KEYS];
    uint8_t known[32];
    char known_tenant[64];
    int64_t known_until;
};

static EVP_PKEY *access_key, *auth_key;
static EVP_MD *sha256;
static uint8_t sealing_key[32], mac_key[32], day[2];
static char url[128];

void crypto_random(uint8_t *bytes, int count) {
    // A pool a thread, as the product has: one call of the generator for many ids.
    static _Thread_local uint8_t pool[4096];
    static _Thread_local int left;
    if (left < count) {
        if (RAND_bytes(pool, sizeof pool) != 1) abort();
        left = sizeof pool;
    }
    left -= count;
    memcpy(bytes, pool + left, count);
    memset(pool + left, 0, count);
}

void crypto_setup(const char *public_url) {
    access_key = EVP_EC_gen("P-256");
    auth_key = EVP_EC_gen("P-256");
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (!access_key || !auth_key || !sha256) abort();
    if (RAND_bytes(sealing_key, sizeof sealing_key) != 1 || RAND_bytes(mac_key, sizeof mac_key) != 1) abort();
    day[0] = time(NULL) / 86400 >> 8 & 0xFF;
    day[1] = time(NULL) / 86400 & 0xFF;
    snprintf(url, sizeof url, "%s", public_url);
}

const char *public_url(void) { return url; }

static EVP_MAC_CTX *mac_context(void) {
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0), OSSL_PARAM_END};
    if (!context || EVP_MAC_init(context, mac_key, sizeof mac_key, parameters) != 1) abort();
    return context;
}

struct crypto *crypto_new(void) {
    struct crypto *c = calloc(1, sizeof *c);
    c->sign = EVP_MD_CTX_new();
    c->verify = EVP_MD_CTX_new();
    c->digest = EVP_MD_CTX_new();
    c->seal = EVP_CIPHER_CTX_new();
    c->open = EVP_CIPHER_CTX_new();
    c->mac = mac_context();
    if (EVP_EncryptInit_ex(c->seal, EVP_aes_256_gcm(), NULL, sealing_key, NULL) != 1) abort();
    if (EVP_DecryptInit_ex(c->open, EVP_aes_256_gcm(), NULL, sealing_key, NULL) != 1) abort();
    return c;
}

size_t base64url_encode(const uint8_t *bytes, size_t count, char *text) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t out = 0, index = 0;
    for (; index + 2 < count; index += 3) {
        uint32_t v = (uint32_t)bytes[index] << 16 | bytes[index + 1] << 8 | bytes[index + 2];
        text[out++] = alphabet[v >> 18];
        text[out++] = alphabet[v >> 12 & 63];
        text[out++] = alphabet[v >> 6 & 63];
        text[out++] = alphabet[v & 63];
    }
    if (index < count) {
        uint32_t v = (uint32_t)bytes[index] << 16 | (index + 1 < count ? bytes[index + 1] << 8 : 0);
        text[out++] = alphabet[v >> 18];
        text[out++] = alphabet[v >> 12 & 63];
        if (index + 1 < count) text[out++] = alphabet[v >> 6 & 63];
    }
    text[out] = 0;
    return out;
}

static int value_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

int base64url_decode(const char *text, size_t length, uint8_t *bytes, size_t room) {
    uint32_t bits = 0;
    int have = 0;
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        int v = value_of(text[i]);
        if (v < 0) return -1;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have >= 8) {
            if (out == room) return -1;
            bytes[out++] = bits >> (have -= 8) & 0xFF;
        }
    }
    return (int)out;
}

/// DER of two integers to their 64 bytes.
static int raw_signature(const uint8_t *der, uint8_t *raw) {
    const uint8_t *at = der + 2;
    memset(raw, 0, 64);
    for (int part = 0; part < 2; part++) {
        if (*at++ != 2) return 0;
        int length = *at++;
        const uint8_t *from = at;
        at += length;
        while (length > 32) from++, length--;
        memcpy(raw + part * 32 + 32 - length, from, length);
    }
    return 1;
}

static int der_signature(const uint8_t *raw, uint8_t *der) {
    int out = 2;
    for (int part = 0; part < 2; part++) {
        const uint8_t *from = raw + part * 32;
        int length = 32;
        while (length > 1 && *from == 0) from++, length--;
        int pad = *from & 0x80 ? 1 : 0;
        der[out++] = 2;
        der[out++] = length + pad;
        if (pad) der[out++] = 0;
        memcpy(der + out, from, length);
        out += length;
    }
    der[0] = 0x30;
    der[1] = out - 2;
    return out;
}

static int sign_token(struct crypto *c, EVP_PKEY *key, const char *header, const char *claims, char *token) {
    size_t length = base64url_encode((const uint8_t *)header, strlen(header), token);
    token[length++] = '.';
    length += base64url_encode((const uint8_t *)claims, strlen(claims), token + length);
    uint8_t der[80], raw[64];
    size_t size = sizeof der;
    EVP_MD_CTX_reset(c->sign);
    if (EVP_DigestSignInit(c->sign, NULL, EVP_sha256(), NULL, key) != 1) return 0;
    if (EVP_DigestSign(c->sign, der, &size, (const uint8_t *)token, length) != 1) return 0;
    if (!raw_signature(der, raw)) return 0;
    token[length++] = '.';
    length += base64url_encode(raw, 64, token + length);
    return (int)length;
}

int crypto_issue_access(struct crypto *c, const char *tenant, char *token) {
    char claims[512], jti[32];
    uint8_t random[16];
    crypto_random(random, 16);
    base64url_encode(random, 16, jti);
    long long now = time(NULL);
    snprintf(claims, sizeof claims,
             "{\"iss\":\"%s\",\"aud\":\"%s/v3\",\"sub\":\"%s\",\"jti\":\"%s\",\"client_id\":\"%s\",\"iat\":%lld,\"nbf\":"
             "%lld,\"exp\":%lld}",
             url, url, tenant, jti, tenant, now, now, now + 3600);
    return sign_token(c, access_key,
                      "{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"XQASX90Pg6-pCdWDIU7zps5F6T6rUPfMTaf0EMYMYbk\"}",
                      claims, token);
}

int crypto_issue_auth(struct crypto *c, const char *auth_id, int64_t now, char *claims, char *token) {
    char jti[32], nonce[32];
    uint8_t random[32];
    crypto_random(random, 32);
    base64url_encode(random, 16, jti);
    base64url_encode(random + 16, 16, nonce);
    snprintf(claims, MAX_CLAIMS,
             "{\"iss\":\"%s\",\"aud\":\"%s/client/v1\",\"sub\":\"%s\",\"jti\":\"%s\",\"nonce\":\"%s\",\"iat\":%lld,"
             "\"nbf\":%lld,\"exp\":%lld}",
             url, url, auth_id, jti, nonce, (long long)now, (long long)now, (long long)now + 900);
    return sign_token(
        c, auth_key,
        "{\"alg\":\"ES256\",\"typ\":\"client-auth+jwt\",\"kid\":\"dKsG1oGcli1kQhNnant2JKvwpdjlWE4kakjQ_DYz6Kc\"}", claims,
        token);
}

int claim(const char *claims, const char *name, char *value, size_t room) {
    char mark[32];
    snprintf(mark, sizeof mark, "\"%s\":", name);
    const char *at = strstr(claims, mark);
    if (!at) return 0;
    at += strlen(mark);
    if (*at == '"') at++;
    size_t length = strcspn(at, "\",}");
    if (length >= room) return 0;
    memcpy(value, at, length);
    value[length] = 0;
    return 1;
}

void crypto_digest(struct crypto *c, const void *bytes, size_t length, uint8_t *digest) {
    if (EVP_DigestInit_ex(c->digest, sha256, NULL) != 1 || EVP_DigestUpdate(c->digest, bytes, length) != 1 ||
        EVP_DigestFinal_ex(c->digest, digest, NULL) != 1)
        abort();
}

void crypto_mac(struct crypto *c, const void *bytes, size_t length, uint8_t *mac) {
    size_t size;
    // Without a key, it begins again with the key that it has.
    if (EVP_MAC_init(c->mac, NULL, 0, NULL) != 1 || EVP_MAC_update(c->mac, bytes, length) != 1 ||
        EVP_MAC_final(c->mac, mac, &size, 32) != 1)
        abort();
}

static EVP_PKEY_CTX *checking_context(const uint8_t *point) {
    EVP_PKEY *key = EVP_PKEY_new();
    EVP_PKEY_CTX *context = NULL;
    // Copying the parameters is cheaper than finding the curve by its name.
    if (EVP_PKEY_copy_parameters(key, access_key) == 1 && EVP_PKEY_set1_encoded_public_key(key, point, 65) == 1) {
        context = EVP_PKEY_CTX_new(key, NULL);
        if (!context || EVP_PKEY_verify_init(context) != 1) abort();
    }
    EVP_PKEY_free(key);
    return context;
}

int crypto_is_signed_by(struct crypto *c, const uint8_t *point, const uint8_t *digest, const uint8_t *raw_signature) {
    struct ready_key *key = &c->keys[(point[1] | point[2] << 8) % READY_KEYS];
    if (memcmp(key->point, point, sizeof key->point) != 0) {
        EVP_PKEY_CTX *context = checking_context(point);
        if (!context) return 0;
        EVP_PKEY_CTX_free(key->check);
        key->check = context;
        memcpy(key->point, point, sizeof key->point);
    }
    uint8_t der[80];
    return EVP_PKEY_verify(key->check, der, der_signature(raw_signature, der), digest, 32) == 1;
}

/// Whether a key of the program has signed the token.
static int is_signed(struct crypto *c, EVP_PKEY *key, const char *token, size_t length) {
    const char *end = memrchr(token, '.', length);
    uint8_t raw[64], der[80];
    if (!end || base64url_decode(end + 1, length - (end + 1 - token), raw, 64) != 64) return 0;
    EVP_MD_CTX_reset(c->verify);
    if (EVP_DigestVerifyInit(c->verify, NULL, EVP_sha256(), NULL, key) != 1) return 0;
    return EVP_DigestVerify(c->verify, der, der_signature(raw, der), (const uint8_t *)token, end - token) == 1;
}

int crypto_is_signed_by_auth_key(struct crypto *c, const char *token, size_t length) {
    return is_signed(c, auth_key, token, length);
}

int crypto_admit(struct crypto *c, const char *token, size_t length, char *tenant) {
    uint8_t digest[32];
    crypto_digest(c, token, length, digest);
    int64_t now = time(NULL);
    if (memcmp(digest, c->known, 32) == 0 && now < c->known_until) {
        strcpy(tenant, c->known_tenant);
        return 1;
    }
    const char *first = memchr(token, '.', length);
    const char *second = first ? memchr(first + 1, '.', length - (first + 1 - token)) : NULL;
    if (!second) return 0;
    char claims[1024], value[256], audience[160];
    int count = base64url_decode(first + 1, second - first - 1, (uint8_t *)claims, sizeof claims - 1);
    if (count < 0) return 0;
    claims[count] = 0;
    snprintf(audience, sizeof audience, "%s/v3", url);
    if (!claim(claims, "iss", value, sizeof value) || strcmp(value, url) != 0) return 0;
    if (!claim(claims, "aud", value, sizeof value) || strcmp(value, audience) != 0) return 0;
    if (!claim(claims, "exp", value, sizeof value) || atoll(value) <= now) return 0;
    int64_t until = atoll(value);
    if (!claim(claims, "sub", value, 64)) return 0;
    if (!is_signed(c, access_key, token, length)) return 0;
    memcpy(c->known, digest, 32);
    strcpy(c->known_tenant, value);
    c->known_until = until;
    strcpy(tenant, value);
    return 1;
}

int crypto_seal(struct crypto *c, const uint8_t *plain, int length, const uint8_t *context, int context_length,
                uint8_t *sealed) {
    int written = 0, rest = 0;
    // The generation of the key, the day, the nonce, the text, the tag.
    sealed[0] = 1;
    memcpy(sealed + 1, day, 2);
    crypto_random(sealed + 3, 12);
    if (EVP_EncryptInit_ex(c->seal, NULL, NULL, NULL, sealed + 3) != 1 ||
        EVP_EncryptUpdate(c->seal, NULL, &written, sealed, 3) != 1 ||
        EVP_EncryptUpdate(c->seal, NULL, &written, context, context_length) != 1 ||
        EVP_EncryptUpdate(c->seal, sealed + 15, &written, plain, length) != 1 ||
        EVP_EncryptFinal_ex(c->seal, sealed + 15 + written, &rest) != 1 ||
        EVP_CIPHER_CTX_ctrl(c->seal, EVP_CTRL_AEAD_GET_TAG, 16, sealed + 15 + length) != 1)
        return -1;
    return length + SEAL_BYTES;
}

int crypto_open(struct crypto *c, const uint8_t *sealed, int length, const uint8_t *context, int context_length,
                uint8_t *plain) {
    int written = 0, rest = 0;
    if (length < SEAL_BYTES) return -1;
    if (EVP_DecryptInit_ex(c->open, NULL, NULL, NULL, sealed + 3) != 1 ||
        EVP_CIPHER_CTX_ctrl(c->open, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(sealed + length - 16)) != 1 ||
        EVP_DecryptUpdate(c->open, NULL, &written, sealed, 3) != 1 ||
        EVP_DecryptUpdate(c->open, NULL, &written, context, context_length) != 1 ||
        EVP_DecryptUpdate(c->open, plain, &written, sealed + 15, length - SEAL_BYTES) != 1 ||
        EVP_DecryptFinal_ex(c->open, plain + written, &rest) != 1)
        return -1;
    return written;
}
