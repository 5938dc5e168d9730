// OpenSSL 3.0, libcrypto: what Tokens uses, and inline functions for its macros, which Swift does not see.
#ifndef HOLDFAST_COPENSSL_H
#define HOLDFAST_COPENSSL_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

// Gives a context of HMAC its key, and SHA-256 for digest. In C, because a parameter keeps the pointer to its name, and a
// name handed over from Swift is gone when the call ends.
static inline int copenssl_hmac_sha256_init(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, length, parameters);
}

#endif
