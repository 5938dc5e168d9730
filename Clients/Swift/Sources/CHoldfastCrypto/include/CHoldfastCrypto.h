// P-256 and SHA-256 by OpenSSL, for platforms without CryptoKit. Functions answer 1 for success, 0 for failure.
#ifndef HOLDFAST_CLIENT_CRYPTO_H
#define HOLDFAST_CLIENT_CRYPTO_H

#ifndef __APPLE__
#include <stddef.h>
#include <stdint.h>

enum { HFC_SCALAR_BYTES = 32, HFC_POINT_BYTES = 64, HFC_SIGNATURE_BYTES = 64, HFC_DIGEST_BYTES = 32 };

// Makes a private key: 32 bytes, big endian.
int hfc_p256_generate(uint8_t *private_key);

// The public key of a private one: x and y.
int hfc_p256_public(const uint8_t *private_key, uint8_t *point);

// Signs a digest of SHA-256. The signature is r and s (RFC 7518 section 3.4).
int hfc_p256_sign(const uint8_t *private_key, const uint8_t *digest, uint8_t *signature);

// Whether the signature is of this digest, by this public key.
int hfc_p256_verify(const uint8_t *point, const uint8_t *digest, const uint8_t *signature);

int hfc_sha256(const uint8_t *bytes, size_t length, uint8_t *digest);
#endif

#endif
