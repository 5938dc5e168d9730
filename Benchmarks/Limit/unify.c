// `POST /v3/unify` and `/v3/unify-status`.
#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char column[] = "sessions.record_sealed";

/// The value of a member of a flat object of plain strings.
static int member(const char *body, size_t length, const char *name, char *value, size_t room) {
    char mark[64];
    int mark_length = snprintf(mark, sizeof mark, "\"%s\":\"", name);
    const char *at = memmem(body, length, mark, mark_length);
    if (!at) return 0;
    at += mark_length;
    const char *end = memchr(at, '"', body + length - at);
    if (!end || (size_t)(end - at) >= room || memchr(at, '\\', end - at)) return 0;
    memcpy(value, at, end - at);
    value[end - at] = 0;
    return 1;
}

static int admit(struct loop *loop, const char *head, char *tenant, int *mobile_auth, int *allow_phone_change) {
    const char *at = strcasestr(head, "\r\nauthorization: bearer ");
    if (!at) return 0;
    at += strlen("\r\nauthorization: bearer ");
    return crypto_admit(loop->crypto, at, strcspn(at, "\r"), tenant) &&
           store_tenant(tenant, mobile_auth, allow_phone_change);
}

static void time_ordered_id(int64_t now_ms, uint8_t *id) {
    crypto_random(id, 16);
    for (int i = 0; i < 6; i++) id[i] = now_ms >> (40 - 8 * i) & 0xFF;
    id[6] = (id[6] & 0x0F) | 0x70;
    id[8] = (id[8] & 0x3F) | 0x80;
}

static void write_id(const uint8_t *id, char *text) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *text++ = '-';
        *text++ = digits[id[i] >> 4];
        *text++ = digits[id[i] & 15];
    }
    *text = 0;
}

static int read_id(const char *text, uint8_t *id) {
    int digits = 0;
    for (; *text; text++) {
        if (*text == '-') continue;
        int v = *text >= '0' && *text <= '9' ? *text - '0' : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10 : -1;
        if (v < 0 || digits == 32) return 0;
        id[digits / 2] = digits % 2 ? id[digits / 2] << 4 | v : v;
        digits++;
    }
    return digits == 32;
}

static int sealing_context(const uint8_t *id, uint8_t *context) {
    memcpy(context, column, sizeof column);
    memcpy(context + sizeof column, id, 16);
    return sizeof column + 16;
}

/// A varint of one more than the value, as the product's records have numbers and lengths; 0 stands for an absent field.
static int add_number(uint8_t *record, int length, uint64_t value) {
    for (value++; value >= 0x80; value >>= 7) record[length++] = value | 0x80;
    record[length++] = value;
    return length;
}

static int add_field(uint8_t *record, int length, const char *text) {
    int count = strlen(text);
    length = add_number(record, length, count);
    memcpy(record + length, text, count);
    return length + count;
}

/// The record of a new session (`SessionRecord`, version 1).
static int new_record(uint8_t *record, const struct job *job, const char *number) {
    // Phase, revision, binding, declaration, entered number, device, Mobile Auth, sends, OTP, link, and what a proof adds.
    static const uint8_t state[] = {1, 1, 1, 1, 0, 1, 4, 0, 1, 0, 4, 4, 4, 1, 5, 2,
                                    1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1, 0, 0, 0};
    int size = 0;
    record[size++] = 1;
    size = add_number(record, size, job->now_ms);
    size = add_number(record, size, job->now_ms + 900000);
    size = add_number(record, size, 1);
    record[size++] = 1; // mobile
    record[size++] = 1; // unify
    size = add_field(record, size, number);
    size = add_field(record, size, "+12001004014");
    for (int absent = 0; absent < 4; absent++) record[size++] = 0;
    size = add_number(record, size, job->mobile_auth << 3 | job->allow_phone_change << 4);
    for (int absent = 0; absent < 3; absent++) record[size++] = 0;
    size = add_field(record, size, job->client_request_id);
    for (int absent = 0; absent < 2; absent++) record[size++] = 0;
    record[size++] = 1; // no auth run
    memcpy(record + size, state, sizeof state);
    return size + sizeof state;
}

/// The caller's own name of the call.
static const uint8_t *request_id(const uint8_t *plain, int length, int *count) {
    // Numbers and texts before it, in their order.
    static const char kinds[] = "nnnnnttttttnttt";
    int place = 1;
    for (int field = 0; place < length; field++) {
        uint64_t value = 0;
        for (int shift = 0; place < length && shift < 63; shift += 7) {
            uint8_t byte = plain[place++];
            value |= (uint64_t)(byte & 0x7F) << shift;
            if (byte < 0x80) break;
        }
        if (kinds[field] == 'n') continue;
        uint64_t size = value ? value - 1 : 0;
        if (size > (uint64_t)(length - place)) break;
        if (!kinds[field]) {
            *count = size;
            return plain + place;
        }
        place += size;
    }
    *count = 0;
    return plain;
}

int unify_start(struct loop *loop, struct connection *connection, const char *head, const char *body, size_t length,
                char *answer) {
    static const char refused[] = "{\"error\":\"unauthorized\"}", bad[] = "{\"error\":\"bad request\"}";
    struct job *job = malloc(sizeof *job);
    char number[32], token[1024], auth_id[40], correlation_id[40], text[MAX_ANSWER];
    if (!admit(loop, head, job->client_id, &job->mobile_auth, &job->allow_phone_change)) {
        free(job);
        return answer_json(loop, 401, refused, sizeof refused - 1, answer);
    }
    // The sandbox's numbers: one here, as in the other peer.
    if (!member(body, length, "possessionType", job->flow, sizeof job->flow) ||
        !member(body, length, "phoneNumber", number, sizeof number) || strcmp(number, "2001004014") != 0 ||
        !member(body, length, "clientRequestId", job->client_request_id, sizeof job->client_request_id)) {
        free(job);
        return answer_json(loop, 400, bad, sizeof bad - 1, answer);
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    job->now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    time_ordered_id(job->now_ms, job->correlation_id);
    time_ordered_id(job->now_ms, job->auth_id);
    write_id(job->correlation_id, correlation_id);
    write_id(job->auth_id, auth_id);
    int token_length = crypto_issue_auth(loop->crypto, auth_id, now.tv_sec, token);
    if (!token_length) abort();

    uint8_t record[MAX_SEALED - 30], context[64];
    int size = new_record(record, job, number);
    int context_length = sealing_context(job->correlation_id, context);
    job->sealed_length = crypto_seal(loop->crypto, record, size, context, context_length, job->sealed);
    if (job->sealed_length < 0) abort();

    int text_length = snprintf(text, sizeof text, "{\"correlationId\":\"%s\",\"success\":\"pending\",\"authToken\":\"%.*s\"}",
                               correlation_id, token_length, token);
    job->answer_length = answer_json(loop, 200, text, text_length, job->answer);
    job->connection = connection;
    store_submit(job);
    return 0;
}

int unify_status(struct loop *loop, const char *head, const char *body, size_t length, char *answer) {
    static const char refused[] = "{\"error\":\"unauthorized\"}", bad[] = "{\"error\":\"bad request\"}";
    char tenant[64], text[512];
    int mobile_auth, allow_phone_change;
    uint8_t id[16], sealed[MAX_SEALED], plain[MAX_SEALED], context[64];
    if (!admit(loop, head, tenant, &mobile_auth, &allow_phone_change))
        return answer_json(loop, 401, refused, sizeof refused - 1, answer);
    int sealed_length = -1;
    if (member(body, length, "correlationId", text, sizeof text) && read_id(text, id))
        sealed_length = reader_session(loop->reader, id, sealed);
    int plain_length = sealed_length < 0 ? -1
        : crypto_open(loop->crypto, sealed, sealed_length, context, sealing_context(id, context), plain);
    if (plain_length < 0) return answer_json(loop, 400, bad, sizeof bad - 1, answer);
    int name_length;
    const uint8_t *name = request_id(plain, plain_length, &name_length);
    int count = snprintf(
        text, sizeof text, "{\"success\":\"pending\",\"clientRequestId\":\"%.*s\"}", name_length, (const char *)name);
    return answer_json(loop, 200, text, count, answer);
}
