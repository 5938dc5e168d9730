// OpenSSL 3.0, libssl: the functions that TLS uses, inline functions for macros, and the buffer between a connection
// and its socket.
#ifndef HOLDFAST_COPENSSL_TLS_H
#define HOLDFAST_COPENSSL_TLS_H

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// Keeps paths of the build machine out of the program: OpenSSL's macros pass the name of the calling file.
#define OPENSSL_NO_FILENAMES
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Connects an OpenSSL connection to its socket. Input is read from the socket. Output is collected and sent together,
// so that OpenSSL never has to wait in the middle of a record.
typedef struct {
    int descriptor;
    // The peer has shut its side of the socket.
    int has_ended;
    // Further output is discarded: our own end has been sent.
    int discards;
    // The first byte, if it does not begin a handshake (RFC 8446 section 5.1): then nothing is read. 0: it does.
    int wrong_first_byte;
    // Bytes that may still be read before control returns to the caller.
    size_t allowance;
    // Total bytes read, and total bytes of output.
    size_t received;
    size_t put;
    // Waiting output: from `start` to `end`.
    unsigned char *bytes;
    size_t start;
    size_t end;
    size_t capacity;
} copenssl_wire;

// The most output that may wait, in bytes. Callers stop long before.
#define COPENSSL_WIRE_MOST (1024 * 1024)

// The first byte of every handshake, and a flag for a wrong first byte, which may be 0.
#define COPENSSL_HANDSHAKE 22
#define COPENSSL_IS_WRONG 256

static inline size_t copenssl_wire_pending(const copenssl_wire *wire) { return wire->end - wire->start; }

static inline int copenssl_wire_read(BIO *bio, char *buffer, int size) {
    copenssl_wire *wire = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0) return 0;
    if ((size_t)size > wire->allowance) size = (int)wire->allowance;
    if (size == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    ssize_t count = recv(wire->descriptor, buffer, (size_t)size, 0);
    if (count > 0) {
        // The socket had no more; the loop reports when it has. Reading again would cost a call.
        wire->allowance = count < size ? 0 : wire->allowance - (size_t)count;
        size_t before = wire->received;
        wire->received += (size_t)count;
        if (before == 0 && buffer[0] != COPENSSL_HANDSHAKE) {
            wire->wrong_first_byte = (unsigned char)buffer[0] | COPENSSL_IS_WRONG;
            return -1;
        }
        return (int)count;
    }
    if (count == 0) {
        wire->has_ended = 1;
        return 0;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) BIO_set_retry_read(bio);
    return -1;
}

static inline int copenssl_wire_write(BIO *bio, const char *bytes, int size) {
    copenssl_wire *wire = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0) return 0;
    if (wire->discards) return size;
    size_t needed = wire->end + (size_t)size;
    if (needed > COPENSSL_WIRE_MOST) return -1;
    if (needed > wire->capacity) {
        size_t capacity = wire->capacity ? wire->capacity : 1024;
        while (capacity < needed) capacity *= 2;
        unsigned char *grown = realloc(wire->bytes, capacity);
        if (!grown) return -1;
        wire->bytes = grown;
        wire->capacity = capacity;
    }
    memcpy(wire->bytes + wire->end, bytes, (size_t)size);
    wire->end = needed;
    wire->put += (size_t)size;
    return size;
}

static inline long copenssl_wire_control(BIO *bio, int command, long number, void *pointer) {
    (void)number;
    (void)pointer;
    copenssl_wire *wire = BIO_get_data(bio);
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return wire->has_ended;
    default: return 0;
    }
}

static inline int copenssl_wire_destroy(BIO *bio) {
    copenssl_wire *wire = BIO_get_data(bio);
    if (wire) free(wire->bytes);
    free(wire);
    BIO_set_data(bio, NULL);
    return 1;
}

static inline BIO_METHOD **copenssl_wire_method_place(void) {
    static BIO_METHOD *method;
    return &method;
}

static inline void copenssl_make_wire_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "holdfast wire");
    if (!method) return;
    BIO_meth_set_read(method, copenssl_wire_read);
    BIO_meth_set_write(method, copenssl_wire_write);
    BIO_meth_set_ctrl(method, copenssl_wire_control);
    BIO_meth_set_destroy(method, copenssl_wire_destroy);
    *copenssl_wire_method_place() = method;
}

// Attaches the buffer to a connection; it lives as long as the connection. NULL: out of memory.
static inline copenssl_wire *copenssl_wire_new(SSL *ssl, int descriptor) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, copenssl_make_wire_method);
    BIO_METHOD *method = *copenssl_wire_method_place();
    copenssl_wire *wire = calloc(1, sizeof *wire);
    BIO *bio = method && wire ? BIO_new(method) : NULL;
    if (!bio) {
        free(wire);
        return NULL;
    }
    wire->descriptor = descriptor;
    BIO_set_data(bio, wire);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    return wire;
}

// Writes waiting output to the socket. 1: all was written. 0: the socket took a part. -1: the connection is broken.
static inline int copenssl_wire_send(copenssl_wire *wire) {
    while (wire->start < wire->end) {
        ssize_t count = send(wire->descriptor, wire->bytes + wire->start, wire->end - wire->start, MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
        wire->start += (size_t)count;
    }
    // An idle connection holds no buffer.
    free(wire->bytes);
    wire->bytes = NULL;
    wire->start = wire->end = wire->capacity = 0;
    return 1;
}

// Selects one of the client's protocols (RFC 7301); HTTP/2 is not supported.
static inline int copenssl_select_protocol(
    SSL *ssl, const unsigned char **selected, unsigned char *length, const unsigned char *offered,
    unsigned int offered_length, void *argument) {
    (void)ssl;
    (void)argument;
    static const unsigned char own[] = "\x08http/1.1\x08http/1.0";
    int found = SSL_select_next_proto(
        (unsigned char **)selected, length, own, sizeof own - 1, offered, offered_length);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Refuses a passphrase: the server cannot ask for one.
static inline int copenssl_no_passphrase(char *buffer, int size, int writes, void *argument) {
    (void)buffer;
    (void)size;
    (void)writes;
    (void)argument;
    return -1;
}

// Settings of the server: TLS 1.2 with forward secrecy and authenticated encryption, and TLS 1.3. No compression, no
// renegotiation, no early data. The client's cipher order is used: all ciphers are good, and the client knows its
// processor.
static inline SSL_CTX *copenssl_server_context(int issues_tickets) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context) return NULL;
    SSL_CTX_set_security_level(context, 2);
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | (issues_tickets ? 0 : SSL_OP_NO_TICKET));
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_max_cert_list(context, 32 * 1024);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, copenssl_select_protocol, NULL);
    int is_set = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_cipher_list(
            context,
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
            "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305")
        && SSL_CTX_set_ciphersuites(
            context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
        && SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384")
        && SSL_CTX_set1_sigalgs_list(
            context,
            "ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:"
            "rsa_pss_rsae_sha512:RSA+SHA256:RSA+SHA384:RSA+SHA512")
        && SSL_CTX_set_session_id_context(context, (const unsigned char *)"holdfast", 8)
        && SSL_CTX_set_num_tickets(context, issues_tickets ? 1 : 0) && SSL_CTX_set_max_early_data(context, 0);
    if (is_set) return context;
    SSL_CTX_free(context);
    return NULL;
}

// A client's certificate must be issued by these authorities. A client without a certificate may continue.
static inline int copenssl_verify_clients(SSL_CTX *context, const char *authorities_path) {
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(authorities_path);
    if (!names) return 0;
    SSL_CTX_set_client_CA_list(context, names);
    if (SSL_CTX_load_verify_file(context, authorities_path) != 1) return 0;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_verify_depth(context, 5);
    return 1;
}

static inline int copenssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

// Kinds of names in a certificate.
#define COPENSSL_COMMON_NAME 0
#define COPENSSL_DNS_NAME 1
#define COPENSSL_URI 2

// Copies a name. Returns its length, or -2 if it is longer than the buffer or contains a zero byte.
static inline int copenssl_copy_name(const unsigned char *text, int length, unsigned char *buffer, int capacity) {
    if (length < 0 || length > capacity || memchr(text, 0, (size_t)length)) return -2;
    memcpy(buffer, text, (size_t)length);
    return length;
}

// The names of one kind in a certificate, one after another: common names are in its subject, the others are
// alternative names. Returns the length of name `index`, -1 after the last one, -2 if it cannot be copied.
static inline int copenssl_certificate_name(
    X509 *certificate, int kind, int index, unsigned char *buffer, int capacity) {
    int length = -1;
    if (kind == COPENSSL_COMMON_NAME) {
        X509_NAME *subject = X509_get_subject_name(certificate);
        int entry = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
        while (entry >= 0 && index-- > 0) entry = X509_NAME_get_index_by_NID(subject, NID_commonName, entry);
        if (entry < 0) return -1;
        unsigned char *text = NULL;
        length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, entry)));
        if (length < 0) return -2;
        length = copenssl_copy_name(text, length, buffer, capacity);
        OPENSSL_free(text);
        return length;
    }
    int wanted = kind == COPENSSL_DNS_NAME ? GEN_DNS : GEN_URI;
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int position = 0; position < sk_GENERAL_NAME_num(names); position++) {
        int type = 0;
        ASN1_STRING *text = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, position), &type);
        if (type != wanted || index-- > 0) continue;
        length = copenssl_copy_name(ASN1_STRING_get0_data(text), ASN1_STRING_length(text), buffer, capacity);
        break;
    }
    GENERAL_NAMES_free(names);
    return length;
}

// Whether a certificate is for a host: one of its DNS names or addresses matches. The common name does not count (RFC
// 9525 section 2).
static inline int copenssl_is_for_host(X509 *certificate, const char *host, size_t length) {
    if (X509_check_ip_asc(certificate, host, 0) == 1) return 1;
    return X509_check_host(certificate, host, length, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) == 1;
}

// Converts a time of a certificate to seconds since 1970. Returns 0 if it is invalid.
static inline int copenssl_seconds(const ASN1_TIME *time, long long *seconds) {
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0, rest = 0;
    int is_read = epoch && ASN1_TIME_diff(&days, &rest, epoch, time);
    ASN1_TIME_free(epoch);
    *seconds = (long long)days * 86400 + rest;
    return is_read;
}

#endif
