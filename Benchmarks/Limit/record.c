// A session as the record of its row: `SessionRecord`, version 11, of a session with the flow "mobile" and a code.
//
// A number field is a varint of its value plus one. A field of bytes is its length plus one, then the bytes. 0 means
// an absent field.
#include "limit.h"

#include <stdio.h>
#include <string.h>

static const char column[] = "sessions.record_sealed";

enum { VERSION = 11, KEY_BINDING = 2, CODE_PROOF = 2 };
enum step { CODE_START = 2, CODE_FINISH = 3 };
enum code_state { IDLE, WAITING, PASSED = 3 };

int add_number(uint8_t *record, int length, uint64_t value) {
    for (value++; value >= 0x80; value >>= 7) record[length++] = value | 0x80;
    record[length++] = value;
    return length;
}

int add_bytes(uint8_t *record, int length, const void *bytes, int count) {
    length = add_number(record, length, count);
    memcpy(record + length, bytes, count);
    return length + count;
}

int add_text(uint8_t *record, int length, const char *text) { return add_bytes(record, length, text, strlen(text)); }

static int add_absent(uint8_t *record, int length, int fields) {
    memset(record + length, 0, fields);
    return length + fields;
}

static int add_numbers(uint8_t *record, int length, const int *values, int count) {
    for (int i = 0; i < count; i++) length = add_number(record, length, values[i]);
    return length;
}

static void write_request(struct session *s, int mobile_auth, int allow_phone_change) {
    // Checks; a code's length, life, tries, what counts tries, earlier codes; a link's life and wait; one channel, the SMS;
    // sends, numbers, life of a result.
    const int policy[] = {7 | mobile_auth << 3, 4, CODE_MS / 1000, 1, 0, 0, 180, 300, 1, 0, 3, 3, 900};
    uint8_t *r = s->request;
    int size = add_number(r, 0, 0); // mobile
    size = add_text(r, size, "unify");
    size = add_numbers(r, size, policy, sizeof policy / sizeof *policy);
    size = add_absent(r, size, 1); // no Pre-Fill
    size = add_number(r, size, allow_phone_change ? 3 : 0);
    size = add_absent(r, size, 1); // no greatest age of a key
    size = add_text(r, size, s->number);
    size = add_text(r, size, s->e164);
    size = add_absent(r, size, 4); // addresses and claims
    size = add_number(r, size, 16); // one text for code and link
    size = add_absent(r, size, 5); // device, URL, texts, callback
    size = add_number(r, size, 0);
    size = add_absent(r, size, 2); // payment, brand
    size = add_text(r, size, s->client_request_id);
    size = add_absent(r, size, 2);
    size = add_number(r, size, 0); // no question
    size = add_absent(r, size, 2);
    size = add_number(r, size, 0); // no metadata
    s->request_length = add_absent(r, size, 1);
}

void session_start(struct session *s, const char *number, int64_t now_ms, int mobile_auth, int allow_phone_change) {
    time_ordered_id(now_ms, s->correlation_id);
    time_ordered_id(now_ms, s->auth_id);
    s->created_ms = now_ms;
    s->expires_ms = now_ms + SESSION_MS;
    s->events = 1;
    snprintf(s->number, sizeof s->number, "%s", number);
    snprintf(s->e164, sizeof s->e164, "+1%s", number);
    write_request(s, mobile_auth, allow_phone_change);
    s->phase = CREATED;
    s->sends_left = s->entries_left = 3;
    s->tries_left = 1;
    s->revision = s->is_bound = s->is_code_sent = s->is_proven = s->has_holder = 0;
}

static int add_code(uint8_t *record, int length, const struct session *s) {
    length = add_number(record, length, s->is_proven ? PASSED : s->is_code_sent ? WAITING : IDLE);
    if (s->is_code_sent) {
        length = add_number(record, length, s->code_expires_ms);
        length = add_number(record, length, 0); // no earlier code
    }
    length = add_number(record, length, 4);
    return add_number(record, length, s->tries_left);
}

static int add_binding(uint8_t *record, int length, const struct session *s) {
    // Web, fallback by code, no device key, no cellular network, no test mode.
    static const int declaration[] = {1, 0, 0, 0, 1, 0};
    if (!s->is_bound) {
        length = add_number(record, length, 0);
        return add_number(record, length, 0);
    }
    length = add_number(record, length, KEY_BINDING);
    length = add_bytes(record, length, s->thumbprint, 32);
    length = add_numbers(record, length, declaration, sizeof declaration / sizeof *declaration);
    return add_absent(record, length, 2);
}

int session_add_state(uint8_t *record, int length, const struct session *s) {
    int has_asked = s->is_code_sent || s->is_proven;
    length = add_number(record, length, s->phase);
    if (s->phase == ACTIVE) length = add_number(record, length, s->is_code_sent ? CODE_FINISH : CODE_START);
    if (s->phase == DONE) {
        length = add_number(record, length, 0); // succeeded
        length = add_number(record, length, s->proven_ms);
    }
    length = add_number(record, length, s->revision);
    length = add_binding(record, length, s);
    length = add_absent(record, length, 1); // no number of the person
    length = add_number(record, length, 0); // no device key
    length = add_number(record, length, 3);
    length = add_absent(record, length, 1);
    length = add_number(record, length, 0); // no Mobile Auth
    length = add_absent(record, length, 1);
    length = add_number(record, length, 3);
    length = add_number(record, length, s->sends_left);
    length = add_number(record, length, s->entries_left);
    length = add_code(record, length, s);
    length = add_number(record, length, 0); // no link
    length = add_absent(record, length, 6);
    length = add_number(record, length, 3);
    if (s->is_proven) {
        length = add_number(record, length, CODE_PROOF);
        length = add_text(record, length, s->e164);
        length = add_number(record, length, s->proven_ms);
    } else {
        length = add_absent(record, length, 1);
    }
    length = add_absent(record, length, 1);
    length = add_number(record, length, 0); // no risk
    length = add_absent(record, length, 2);
    length = s->has_holder ? add_bytes(record, length, s->holder_id, 16) : add_absent(record, length, 1);
    length = add_absent(record, length, 1);
    length = add_number(record, length, 0);
    length = add_number(record, length, has_asked); // who asked for the code, without an address
    if (has_asked) length = add_bytes(record, length, "", 0);
    return add_absent(record, length, 2);
}

static int context_of(const uint8_t *id, uint8_t *context) {
    memcpy(context, column, sizeof column);
    memcpy(context + sizeof column, id, 16);
    return sizeof column + 16;
}

int session_seal(struct crypto *crypto, const struct session *s, uint8_t *sealed) {
    uint8_t record[MAX_RECORD], context[64];
    int size = 0;
    record[size++] = VERSION;
    size = add_number(record, size, s->created_ms);
    size = add_number(record, size, s->expires_ms);
    size = add_number(record, size, s->events);
    memcpy(record + size, s->request, s->request_length);
    size = session_add_state(record, size + s->request_length, s);
    return crypto_seal(crypto, record, size, context, context_of(s->correlation_id, context), sealed);
}

/// Reads one field after the other. A field past the end is absent.
struct fields {
    const uint8_t *at, *end;
};

static uint64_t varint(struct fields *f) {
    uint64_t value = 0;
    for (int shift = 0; f->at < f->end && shift < 63; shift += 7) {
        uint8_t byte = *f->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

/// -1: absent.
static int64_t next_number(struct fields *f) { return (int64_t)varint(f) - 1; }

static int next_bytes(struct fields *f, void *bytes, size_t room) {
    uint64_t length = varint(f);
    const uint8_t *from = f->at;
    if (length == 0 || length - 1 > (uint64_t)(f->end - f->at)) return -1;
    f->at += length - 1;
    if (length - 1 > room) return -1;
    memcpy(bytes, from, length - 1);
    return (int)length - 1;
}

static void next_text(struct fields *f, char *text, size_t room) {
    int length = next_bytes(f, text, room - 1);
    text[length < 0 ? 0 : length] = 0;
}

static void skip(struct fields *f, const char *kinds) {
    for (; *kinds; kinds++) {
        uint64_t value = varint(f);
        if (*kinds == 't' && value > 0 && value - 1 <= (uint64_t)(f->end - f->at)) f->at += value - 1;
    }
}

static int read_request(struct fields *f, struct session *s) {
    const uint8_t *start = f->at;
    skip(f, "ntnnnnnnnnnnnnnnnn");
    next_text(f, s->number, sizeof s->number);
    next_text(f, s->e164, sizeof s->e164);
    skip(f, "ttttntttttntt");
    next_text(f, s->client_request_id, sizeof s->client_request_id);
    skip(f, "ttnttnt");
    s->request_length = f->at - start;
    if (s->request_length > (int)sizeof s->request) return 0;
    memcpy(s->request, start, s->request_length);
    return 1;
}

static void read_state(struct fields *f, struct session *s) {
    s->phase = next_number(f);
    if (s->phase != CREATED) skip(f, s->phase == ACTIVE ? "n" : "nn");
    s->revision = next_number(f);
    s->is_bound = next_number(f) == KEY_BINDING;
    if (s->is_bound) next_bytes(f, s->thumbprint, sizeof s->thumbprint);
    skip(f, s->is_bound ? "nnnnnntt" : "n");
    skip(f, "tnnnntn");
    s->sends_left = next_number(f);
    s->entries_left = next_number(f);
    s->is_code_sent = next_number(f) == WAITING;
    if (s->is_code_sent) {
        s->code_expires_ms = next_number(f);
        skip(f, "n");
    }
    skip(f, "n");
    s->tries_left = next_number(f);
    skip(f, "ntnnttnn");
    s->is_proven = next_number(f) >= 0;
    if (s->is_proven) {
        skip(f, "t");
        s->proven_ms = next_number(f);
    }
    skip(f, "nntn");
    s->has_holder = next_bytes(f, s->holder_id, 16) == 16;
}

int session_open(struct crypto *crypto, const uint8_t *sealed, int length, struct session *s) {
    uint8_t record[MAX_SEALED], context[64];
    int size = crypto_open(crypto, sealed, length, context, context_of(s->correlation_id, context), record);
    if (size < 1 || record[0] != VERSION) return 0;
    struct fields fields = {record + 1, record + size};
    s->created_ms = next_number(&fields);
    s->expires_ms = next_number(&fields);
    s->events = next_number(&fields);
    if (!read_request(&fields, s)) return 0;
    read_state(&fields, s);
    return 1;
}
