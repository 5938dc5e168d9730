#include "CHoldfastCrypto.h"

#ifndef __APPLE__
// The functions of EC_KEY are the ones that OpenSSL 1.1 and 3 share.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>

// A key of these 32 bytes with its public key; NULL if they are no private key of P-256.
static EC_KEY *key_of(const uint8_t *private_key) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *scalar = BN_bin2bn(private_key, HFC_SCALAR_BYTES, NULL);
    const EC_GROUP *group = key ? EC_KEY_get0_group(key) : NULL;
    EC_POINT *point = group ? EC_POINT_new(group) : NULL;
    int is_made = scalar && point && EC_KEY_set_private_key(key, scalar)
        && EC_POINT_mul(group, point, scalar, NULL, NULL, NULL) && EC_KEY_set_public_key(key, point)
        && EC_KEY_check_key(key);
    EC_POINT_free(point);
    BN_clear_free(scalar);
    if (is_made) return key;
    EC_KEY_free(key);
    return NULL;
}

int hfc_p256_generate(uint8_t *private_key) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    int is_made = key && EC_KEY_generate_key(key)
        && BN_bn2binpad(EC_KEY_get0_private_key(key), private_key, HFC_SCALAR_BYTES) == HFC_SCALAR_BYTES;
    EC_KEY_free(key);
    return is_made;
}

int hfc_p256_public(const uint8_t *private_key, uint8_t *point) {
    EC_KEY *key = key_of(private_key);
    if (!key) return 0;
    // The first byte tells the form: uncompressed.
    uint8_t encoded[1 + HFC_POINT_BYTES];
    size_t length = EC_POINT_point2oct(
        EC_KEY_get0_group(key), EC_KEY_get0_public_key(key), POINT_CONVERSION_UNCOMPRESSED, encoded, sizeof encoded, NULL);
    EC_KEY_free(key);
    if (length != sizeof encoded) return 0;
    for (size_t index = 0; index < HFC_POINT_BYTES; index += 1) point[index] = encoded[1 + index];
    return 1;
}

int hfc_p256_sign(const uint8_t *private_key, const uint8_t *digest, uint8_t *signature) {
    EC_KEY *key = key_of(private_key);
    ECDSA_SIG *made = key ? ECDSA_do_sign(digest, HFC_DIGEST_BYTES, key) : NULL;
    int is_made = made && BN_bn2binpad(ECDSA_SIG_get0_r(made), signature, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(made), signature + 32, 32) == 32;
    ECDSA_SIG_free(made);
    EC_KEY_free(key);
    return is_made;
}

int hfc_p256_verify(const uint8_t *point, const uint8_t *digest, const uint8_t *signature) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *x = BN_bin2bn(point, 32, NULL), *y = BN_bin2bn(point + 32, 32, NULL);
    BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
    ECDSA_SIG *given = ECDSA_SIG_new();
    int is_set = given && r && s && ECDSA_SIG_set0(given, r, s);
    if (!is_set) {
        BN_free(r);
        BN_free(s);
    }
    int is_right = key && x && y && is_set && EC_KEY_set_public_key_affine_coordinates(key, x, y)
        && ECDSA_do_verify(digest, HFC_DIGEST_BYTES, given, key) == 1;
    ECDSA_SIG_free(given);
    BN_free(x);
    BN_free(y);
    EC_KEY_free(key);
    return is_right;
}

int hfc_sha256(const uint8_t *bytes, size_t length, uint8_t *digest) {
    return EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL);
}
#endif
