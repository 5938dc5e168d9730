// The calls of a client: it redeems its token, asks for a code, and submits it.
#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char verify_path[] = "/client/v1/session/otp/verify";

static int write_time(int64_t ms, char *text, size_t room) {
    time_t seconds = ms / 1000;
    struct tm parts;
    gmtime_r(&seconds, &parts);
    return strftime(text, room, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/// Answers with the state of the session, as the client gets it.
static void answer_state(struct job *job, const struct session *s) {
    static const char *const steps[] = {
        "\"status\":\"active\",\"flow\":\"mobile\",\"step\":\"otpStart\",\"allowed\":[\"otp.start\",\"cancel\"]",
        "\"status\":\"active\",\"flow\":\"mobile\",\"step\":\"otpFinish\","
        "\"allowed\":[\"otp.verify\",\"otp.resend\",\"otp.phone\",\"cancel\"]",
        "\"status\":\"done\",\"outcome\":\"succeeded\",\"flow\":\"mobile\",\"allowed\":[]",
    };
    char text[1024], auth_id[40], expires[32], code[64] = "";
    write_id(s->auth_id, auth_id);
    write_time(s->expires_ms, expires, sizeof expires);
    if (s->is_code_sent) {
        int length = snprintf(code, sizeof code, ",\"codeExpiresAt\":\"");
        length += write_time(s->code_expires_ms, code + length, sizeof code - length);
        snprintf(code + length, sizeof code - length, "\"");
    }
    int length = snprintf(
        text, sizeof text,
        "{\"authId\":\"%s\",\"rev\":%d,%s,\"expiresAt\":\"%s\",\"phone\":{\"needed\":false,\"masked\":\"%.2s******%s\"},"
        "\"device\":{\"status\":\"absent\",\"rotate\":false},\"otp\":{\"codeLength\":4%s,\"sendsLeft\":%d,"
        "\"attemptsLeft\":%d,\"phoneEntriesLeft\":%d}}",
        auth_id, s->revision, steps[s->phase == DONE ? 2 : s->is_code_sent], expires, s->e164,
        s->e164 + strlen(s->e164) - 4, code, s->sends_left, s->tries_left, s->entries_left);
    job->answer_length = answer_json(job->connection->loop, 200, text, length, job->answer);
}

/// Answers a call that changes nothing.
static int refuse(struct job *job, const char *error) {
    char text[64];
    int length = snprintf(text, sizeof text, "{\"error\":\"%s\"}", error);
    job->apply_next = NULL;
    job->answer_length = answer_json(job->connection->loop, 400, text, length, job->answer);
    return 1;
}

static int add_event(struct writer *writer, struct session *s, const char *kind, int64_t at_ms, const char *detail) {
    return store_run(writer, ADD_EVENT, detail ? "bitit" : "bitin", s->correlation_id, 16, (int64_t)s->events++, kind,
                     at_ms, detail) == 1;
}

static int save(struct writer *writer, const struct session *s, int64_t row, const uint8_t *code_digest) {
    uint8_t sealed[MAX_SEALED];
    int length = session_seal(store_crypto(writer), s, sealed);
    if (s->is_code_sent)
        return store_run(writer, SAVE_SESSION, "tbibi", "active", code_digest, 32, s->code_expires_ms, sealed, length,
                         row) == 1;
    return store_run(writer, SAVE_SESSION, "tnnbi", s->phase == DONE ? "done" : "active", sealed, length, row) == 1;
}

static int use_proof(struct writer *writer, const struct caller *caller, const struct session *s) {
    if (s->is_bound && memcmp(s->thumbprint, caller->thumbprint, 32) != 0) return 0;
    return store_run(writer, USE_PROOF, "bbi", caller->auth_id, 16, caller->proof_digest, 32, caller->proof_ends_ms) == 1;
}

// Counts of limits

static void put(uint8_t *bytes, uint64_t value, int count) {
    while (count-- > 0) {
        bytes[count] = value & 0xFF;
        value >>= 8;
    }
}

enum { TALLY_HEAD = 16, TALLY_ENTRY = 14, TALLY_BUCKET = 29, MOST_ENTRIES = 32 };

/// Adds an entry to a tally, keeps its newest ones, and gives its bucket the moment.
static int count_one(struct writer *writer, const char *counter, const char *subject, int64_t now_ms, int most,
                     int has_bucket) {
    uint8_t key[32], old[TALLY_HEAD + MOST_ENTRIES * TALLY_ENTRY + TALLY_BUCKET] = {0}, tally[sizeof old] = {3};
    char name[96];
    int name_length = snprintf(name, sizeof name, "%s sandbox %s", counter, subject);
    crypto_mac(store_crypto(writer), name, name_length, key);
    int entries = 0, size = TALLY_HEAD;
    if (store_find(writer, FIND_COUNT, key, 16, old, sizeof old) >= TALLY_HEAD) entries = old[14] << 8 | old[15];
    const uint8_t *bucket = old + TALLY_HEAD + entries * TALLY_ENTRY;
    int kept = entries < most ? entries : most - 1;
    memcpy(tally + size, bucket - kept * TALLY_ENTRY, kept * TALLY_ENTRY);
    size += kept * TALLY_ENTRY;
    put(tally + size, now_ms, 8);
    put(tally + size + 8, 1, 4);
    size += TALLY_ENTRY;
    put(tally + 14, kept + 1, 2);
    if (has_bucket) {
        tally[1] = 1;
        memcpy(tally + size, bucket, TALLY_BUCKET);
        put(tally + size + 16, now_ms, 8);
        size += TALLY_BUCKET;
    }
    return store_run(writer, SAVE_COUNT, "bbi", key, 16, tally, size, now_ms + 86400000) == 1;
}

static int count_send(struct writer *writer, const struct session *s, int64_t now_ms) {
    char prefix[24];
    snprintf(prefix, sizeof prefix, "%.*s", (int)strlen(s->e164) - 4, s->e164);
    return count_one(writer, "sendsToNumber", s->e164, now_ms, MOST_ENTRIES, 0) &&
           count_one(writer, "network", "", now_ms, 3, 1) && count_one(writer, "networkInPrefix", prefix, now_ms, 1, 0);
}

static int count_answer(struct writer *writer, const struct session *s, int64_t now_ms) {
    char prefix[24];
    snprintf(prefix, sizeof prefix, "%.*s", (int)strlen(s->e164) - 4, s->e164);
    return count_one(writer, "network", "", now_ms, 3, 1) && count_one(writer, "networkInPrefix", prefix, now_ms, 1, 0);
}

// The three changes

static int redeem(struct writer *writer, struct job *job) {
    struct session *s = &job->session;
    int64_t row;
    uint8_t digest[32];
    if (!store_load(writer, job->caller.auth_id, s, &row, digest) || s->phase != CREATED) return refuse(job, "session");
    if (!use_proof(writer, &job->caller, s)) return refuse(job, "proof");
    s->is_bound = 1;
    memcpy(s->thumbprint, job->caller.thumbprint, 32);
    s->phase = ACTIVE;
    s->revision++;
    if (!add_event(writer, s, "redeemed", job->now_ms, "web") || !save(writer, s, row, NULL)) return 0;
    answer_state(job, s);
    return 1;
}

static void code_digest(struct writer *writer, const struct session *s, const char *code, uint8_t *digest) {
    char text[96], auth_id[40];
    write_id(s->auth_id, auth_id);
    crypto_mac(store_crypto(writer), text, snprintf(text, sizeof text, "%s %s %s", code, auth_id, s->e164), digest);
}

static int add_message(struct writer *writer, const struct job *job, const uint8_t *digest) {
    static const char column[] = "messages.message_sealed";
    const struct session *s = &job->session;
    uint8_t record[MAX_RECORD], sealed[MAX_SEALED], context[96];
    int size = 0;
    record[size++] = 5;
    size = add_text(record, size, s->e164);
    size = add_number(record, size, s->code_expires_ms);
    // How the send can be taken back: sends, tries, tries before it, its place, and the step before it.
    size = add_number(record, size, s->sends_left);
    size = add_number(record, size, s->tries_left);
    size = add_number(record, size, s->tries_left);
    size = add_number(record, size, 0);
    size = add_number(record, size, 2);
    size = add_number(record, size, 0); // a code
    size = add_text(record, size, job->code);
    size = add_bytes(record, size, digest, 32);
    // No code before it, no retry key, no route to avoid, no channel of its own.
    static const uint8_t rest[] = {0, 1, 5, 1, 0, 1, 0};
    memcpy(record + size, rest, sizeof rest);
    memcpy(context, column, sizeof column);
    memcpy(context + sizeof column, s->correlation_id, 16);
    write_id(job->message_id, (char *)context + sizeof column + 16);
    int length = crypto_seal(
        store_crypto(writer), record, size + sizeof rest, context, sizeof column + 16 + 37, sealed);
    return store_run(writer, ADD_MESSAGE, "bbb", s->correlation_id, 16, job->message_id, 16, sealed, length) == 1;
}

static int send_code(struct writer *writer, struct job *job) {
    struct session *s = &job->session;
    int64_t row;
    uint8_t digest[32];
    if (!store_load(writer, job->caller.auth_id, s, &row, digest) || s->phase != ACTIVE) return refuse(job, "session");
    if (!use_proof(writer, &job->caller, s)) return refuse(job, "proof");
    strcpy(job->code, "1234");
    code_digest(writer, s, job->code, digest);
    s->is_code_sent = 1;
    s->code_expires_ms = job->now_ms + CODE_MS;
    s->sends_left--;
    s->entries_left--;
    s->revision++;
    if (!add_event(writer, s, "otp_sent", job->now_ms, "first") || !save(writer, s, row, digest)) return 0;
    if (!count_send(writer, s, job->now_ms) || !add_message(writer, job, digest)) return 0;
    answer_state(job, s);
    return 1;
}

/// Notes that the carrier has taken the message, and that it has delivered it.
static int note_delivered(struct writer *writer, struct job *job) {
    struct session *s = &job->session;
    int64_t row;
    uint8_t digest[32];
    if (store_run(writer, NOTE_SENT, "bb", s->correlation_id, 16, job->message_id, 16) != 1) return 0;
    if (!store_load(writer, job->caller.auth_id, s, &row, digest)) return 0;
    return add_event(writer, s, "message_delivered", now_ms(), "sandbox-sms") && save(writer, s, row, digest) &&
           store_run(writer, NOTE_DELIVERED, "bb", s->correlation_id, 16, job->message_id, 16) == 1;
}

/// Finds the person who has the number, or adds one where it was never proven.
static int find_holder(struct writer *writer, struct session *s, int64_t now_ms) {
    static const char column[] = "identities.number_sealed";
    uint8_t index[32], sealed[MAX_SEALED], context[64];
    crypto_mac(store_crypto(writer), s->e164, strlen(s->e164), index);
    s->has_holder = 1;
    if (store_find(writer, FIND_IDENTITY, index, 32, s->holder_id, 16) == 16) return 1;
    time_ordered_id(now_ms, s->holder_id);
    memcpy(context, column, sizeof column);
    memcpy(context + sizeof column, s->holder_id, 16);
    int length = crypto_seal(
        store_crypto(writer), (const uint8_t *)s->e164, strlen(s->e164), context, sizeof column + 16, sealed);
    return store_run(writer, ADD_IDENTITY, "bbb", s->holder_id, 16, index, 32, sealed, length) == 1;
}

static int keep_reply(struct writer *writer, const struct job *job, const struct session *s) {
    static const char column[] = "replayed_replies.reply_sealed";
    uint8_t record[MAX_RECORD], sealed[MAX_SEALED], context[192];
    int size = 0, length = sizeof column;
    record[size++] = 10;
    record[size++] = 0; // no refusal
    record[size++] = 0; // no Mobile Auth
    size = add_number(record, size, s->events);
    size = add_number(record, size, 0); // no code is awaited
    size = session_add_state(record, size, s);
    size = add_number(record, size, job->now_ms);
    memcpy(context, column, length);
    memcpy(context + length, s->correlation_id, 16);
    length += 16;
    memcpy(context + length, verify_path, sizeof verify_path);
    length += sizeof verify_path;
    strcpy((char *)context + length, job->request_id);
    length += strlen(job->request_id) + 1;
    length = crypto_seal(store_crypto(writer), record, size, context, length, sealed);
    return store_run(writer, KEEP_REPLY, "bttbb", s->correlation_id, 16, verify_path, job->request_id, sealed, length,
                     job->body_digest, 32) == 1;
}

static int verify_code(struct writer *writer, struct job *job) {
    struct session *s = &job->session;
    int64_t row;
    uint8_t expected[32], digest[32];
    if (!store_load(writer, job->caller.auth_id, s, &row, expected) || !s->is_code_sent) return refuse(job, "session");
    if (!use_proof(writer, &job->caller, s)) return refuse(job, "proof");
    code_digest(writer, s, job->code, digest);
    if (memcmp(digest, expected, 32) != 0) return refuse(job, "otp_mismatch");
    s->phase = DONE;
    s->is_code_sent = 0;
    s->tries_left = 0;
    s->is_proven = 1;
    s->proven_ms = job->now_ms;
    s->revision++;
    // The answer for a retry does not name the person.
    struct session answered = *s;
    answered.events += 2;
    if (!find_holder(writer, s, job->now_ms)) return 0;
    if (!add_event(writer, s, "otp_passed", job->now_ms, NULL) || !add_event(writer, s, "succeeded", job->now_ms, "otp"))
        return 0;
    if (!save(writer, s, row, NULL) || !count_answer(writer, s, job->now_ms)) return 0;
    if (job->request_id[0] && !keep_reply(writer, job, &answered)) return 0;
    answer_state(job, s);
    return 1;
}

// The three calls

static struct job *admitted(struct loop *loop, const char *head) {
    struct job *job = malloc(sizeof *job);
    if (proof_admit(loop->crypto, head, &job->caller)) {
        job->now_ms = now_ms();
        return job;
    }
    free(job);
    return NULL;
}

static int unauthorized(struct loop *loop, char *answer) {
    static const char refused[] = "{\"error\":\"unauthorized\"}";
    return answer_json(loop, 401, refused, sizeof refused - 1, answer);
}

int session_redeem(struct loop *loop, struct connection *connection, const char *head, const char *body, size_t length,
                   char *answer) {
    struct job *job = admitted(loop, head);
    if (!job) return unauthorized(loop, answer);
    job_start(job, connection, redeem, NULL);
    return 0;
}

int session_send(struct loop *loop, struct connection *connection, const char *head, const char *body, size_t length,
                 char *answer) {
    struct job *job = admitted(loop, head);
    if (!job) return unauthorized(loop, answer);
    time_ordered_id(job->now_ms, job->message_id);
    job_start(job, connection, send_code, note_delivered);
    return 0;
}

int session_verify(struct loop *loop, struct connection *connection, const char *head, const char *body, size_t length,
                   char *answer) {
    struct job *job = admitted(loop, head);
    if (!job) return unauthorized(loop, answer);
    if (!member(body, length, "code", job->code, sizeof job->code)) job->code[0] = 0;
    if (!member(body, length, "requestId", job->request_id, sizeof job->request_id)) job->request_id[0] = 0;
    crypto_mac(loop->crypto, body, length, job->body_digest);
    job_start(job, connection, verify_code, NULL);
    return 0;
}
