// `POST /v3/unify` and `/v3/unify-status`.
#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char refused[] = "{\"error\":\"unauthorized\"}", bad[] = "{\"error\":\"bad request\"}";

static int admit(struct loop *loop, const char *head, char *tenant, int *mobile_auth, int *allow_phone_change) {
    size_t length;
    const char *token = header(head, "\r\nauthorization: bearer ", &length);
    return token && crypto_admit(loop->crypto, token, length, tenant) &&
           store_tenant(tenant, mobile_auth, allow_phone_change);
}

static int add_session(struct writer *writer, struct job *job) {
    const struct session *s = &job->session;
    return store_run(writer, ADD_SESSION, "bbtb", s->correlation_id, 16, s->auth_id, 16, job->client_id, job->sealed,
                     job->sealed_length) == 1 &&
           store_run(writer, ADD_EVENT, "bitit", s->correlation_id, 16, (int64_t)0, "created", job->now_ms, "mobile") == 1;
}

int unify_start(struct loop *loop, struct connection *connection, const char *head, const char *body, size_t length,
                char *answer) {
    struct job *job = malloc(sizeof *job);
    struct session *s = &job->session;
    char flow[16], number[16], claims[MAX_CLAIMS], token[MAX_TOKEN], auth_id[40], correlation_id[40], text[MAX_ANSWER];
    int mobile_auth, allow_phone_change;
    if (!admit(loop, head, job->client_id, &mobile_auth, &allow_phone_change)) {
        free(job);
        return answer_json(loop, 401, refused, sizeof refused - 1, answer);
    }
    // Every number of ten digits is a user of the sandbox.
    if (!member(body, length, "possessionType", flow, sizeof flow) || strcmp(flow, "mobile") != 0 ||
        !member(body, length, "phoneNumber", number, sizeof number) || strlen(number) != 10 ||
        !member(body, length, "clientRequestId", s->client_request_id, sizeof s->client_request_id)) {
        free(job);
        return answer_json(loop, 400, bad, sizeof bad - 1, answer);
    }
    job->now_ms = now_ms();
    session_start(s, number, job->now_ms, mobile_auth, allow_phone_change);
    write_id(s->correlation_id, correlation_id);
    write_id(s->auth_id, auth_id);
    int token_length = crypto_issue_auth(loop->crypto, auth_id, job->now_ms / 1000, claims, token);
    if (!token_length) abort();
    proof_remember(loop->crypto, token, token_length, claims);
    job->sealed_length = session_seal(loop->crypto, s, job->sealed);
    if (job->sealed_length < 0) abort();

    int text_length = snprintf(text, sizeof text, "{\"correlationId\":\"%s\",\"success\":\"pending\",\"authToken\":\"%.*s\"}",
                               correlation_id, token_length, token);
    job->answer_length = answer_json(loop, 200, text, text_length, job->answer);
    job_start(job, connection, add_session, NULL);
    return 0;
}

int unify_status(struct loop *loop, const char *head, const char *body, size_t length, char *answer) {
    char tenant[64], text[512], prove_id[40];
    int mobile_auth, allow_phone_change;
    uint8_t sealed[MAX_SEALED];
    struct session s;
    if (!admit(loop, head, tenant, &mobile_auth, &allow_phone_change))
        return answer_json(loop, 401, refused, sizeof refused - 1, answer);
    int sealed_length = -1;
    if (member(body, length, "correlationId", text, sizeof text) && read_id(text, s.correlation_id))
        sealed_length = reader_session(loop->reader, s.correlation_id, sealed);
    if (sealed_length < 0 || !session_open(loop->crypto, sealed, sealed_length, &s))
        return answer_json(loop, 400, bad, sizeof bad - 1, answer);
    int count = snprintf(text, sizeof text, "{\"success\":\"pending\",\"clientRequestId\":\"%s\"}", s.client_request_id);
    if (s.is_proven) {
        write_id(s.holder_id, prove_id);
        count = snprintf(text, sizeof text,
                         "{\"success\":\"true\",\"phoneNumber\":\"%s\",\"proveId\":\"%s\",\"clientRequestId\":\"%s\"}",
                         s.number, prove_id, s.client_request_id);
    }
    return answer_json(loop, 200, text, count, answer);
}
