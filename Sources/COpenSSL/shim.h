// OpenSSL 3.0 libcrypto: what Tokens uses, and inline functions for its macros, which Swift does not see.
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
#include <openssl/x509.h>

#endif
