// OpenSSL 3.0, libcrypto: the functions that Tokens uses, and inline functions for macros, which Swift cannot import.
#ifndef HOLDFAST_COPENSSL_H
#define HOLDFAST_COPENSSL_H

// Keeps paths of the build machine out of the program: OpenSSL's macros pass the name of the calling file.
#define OPENSSL_NO_FILENAMES
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

// Sets the key of an HMAC context, with SHA-256 as digest. In C, because a parameter keeps the pointer to its name, and
// a name passed from Swift is invalid after the call.
static inline int copenssl_hmac_sha256_init(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, length, parameters);
}

// The P-256 key pair of a private number: 32 bytes, most significant first, from 1 to the order less 1. NULL: out of
// memory. Reading the same key from DER takes four to fifteen times as long.
static inline EVP_PKEY *copenssl_p256_key(const unsigned char *scalar) {
    EVP_PKEY *key = NULL;
    unsigned char point[65], native[32];
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    EC_POINT *public_half = group ? EC_POINT_new(group) : NULL;
    BIGNUM *number = BN_bin2bn(scalar, 32, NULL);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    if (number) BN_set_flags(number, BN_FLG_CONSTTIME);
    if (public_half && number && context && EC_POINT_mul(group, public_half, number, NULL, NULL, NULL) == 1
        && EC_POINT_point2oct(group, public_half, POINT_CONVERSION_UNCOMPRESSED, point, sizeof point, NULL) == sizeof point
        && BN_bn2nativepad(number, native, sizeof native) == sizeof native) {
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)SN_X9_62_prime256v1, 0),
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, sizeof native),
            OSSL_PARAM_construct_end(),
        };
        if (EVP_PKEY_fromdata_init(context) != 1 || EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) != 1)
            key = NULL;
    }
    OPENSSL_cleanse(native, sizeof native);
    EVP_PKEY_CTX_free(context);
    BN_clear_free(number);
    EC_POINT_free(public_half);
    EC_GROUP_free(group);
    return key;
}

#endif
