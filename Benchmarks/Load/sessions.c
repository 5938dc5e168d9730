// load sessions PORT SECONDS CONNECTIONS ACCESS-TOKEN|- NUMBERS-FILE [device-key] [unanswered] [apart PID [WINDOWS-FILE]]
//
// Whole OTP sessions, each connection one after another: the backend starts one, the client redeems its token with a
// key of its own and a DPoP proof a call, asks for a code, submits it, and the backend reads `"success":"true"`. With `-`
// as access token every session begins with one of its own. The numbers are taken in turn; 1234 passes for each. With
// `device-key` each client is a new phone: it registers a key, which the session binds. A line of the file may name the
// address of the person behind the number. With `unanswered` a session ends with its code. With `apart` no session takes its
// next step before all have taken the one before, and the processor time of the server is counted for each kind of step. The
// file of windows gets a line for each: its name, begin and end in nanoseconds of CLOCK_MONOTONIC.
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum step { TOKEN, UNIFY, START, DEVICE, SEND, VERIFY, STATUS };

static const char *const step_names[] = {"token", "unify", "start", "device", "send", "verify", "status"};

struct session {
    struct connection connection;
    enum step step;
    struct key *key, *device_key;
    int64_t began;
    char auth_id[64], audience[128], challenge[192];
    char access[2048], auth[2048], nonce[192], correlation[64], number[72];
};

static int port, per_session_token, with_device_key, unanswered;

/// Steps that are taken together, and what they cost the server: the number, the time to the last answer, processor time.
static struct {
    int is_on;
    clockid_t clock;
    unsigned long long count[STATUS + 1];
    int64_t took[STATUS + 1], cpu[STATUS + 1];
    int64_t began, cpu_before;
    FILE *windows;
} apart;

static int64_t server_cpu_ns(void) {
    struct timespec time;
    if (clock_gettime(apart.clock, &time)) return 0;
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/// Waits until the server has nothing to do: what it does after its answers belongs to their step.
static int64_t settled_cpu_ns(void) {
    int64_t before = server_cpu_ns();
    for (int quiet = 0, i = 0; quiet < 2 && i < 100; i++) {
        usleep(1000);
        int64_t now = server_cpu_ns();
        quiet = now - before < 20000 ? quiet + 1 : 0;
        before = now;
    }
    return before;
}
static char base[64], shared_token[2048];
static char (*numbers)[72];
static int number_count, next_number;
static unsigned long long next_id;

static void fail(const struct session *s, const struct answer *answer, const char *what) {
    fprintf(stderr, "load: step %d: %s: %d %.300s\n", s->step, what, answer->status, answer->body);
    exit(1);
}

static void read_numbers(const char *path) {
    FILE *file = fopen(path, "r");
    char line[72];
    if (!file) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        if (number_count % 1024 == 0) numbers = realloc(numbers, (number_count + 1024) * sizeof *numbers);
        snprintf(numbers[number_count++], sizeof *numbers, "%.*s", (int)strcspn(line, "\r\n"), line);
    }
    fclose(file);
    if (number_count == 0) exit(64);
}

static void post(struct session *s, const char *path, const char *authorization, const char *token, const char *proof,
                 const char *type, const char *body) {
    char request[8192];
    int length = snprintf(request, sizeof request,
                          "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s%s%s%s%s%sContent-Type: %s\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          path, port, authorization ? "Authorization: " : "", authorization ? authorization : "",
                          token ? token : "", authorization ? "\r\n" : "", proof ? proof : "", proof ? "\r\n" : "", type,
                          strlen(body), body);
    connection_send(&s->connection, request, length);
}

static void platform(struct session *s, const char *path, const char *body) {
    post(s, path, "Bearer ", s->access, NULL, "application/json", body);
}

static void client(struct session *s, const char *path, const char *body) {
    char url[256], header[2048] = "DPoP: ";
    snprintf(url, sizeof url, "%s%s", base, path);
    int length = key_dpop(s->key, "POST", url, s->auth, s->nonce, header + 6);
    header[6 + length] = 0;
    post(s, path, "DPoP ", s->auth, header, "application/json", body);
}

static void ask(struct session *s) {
    char body[2048];
    int length;
    switch (s->step) {
    case TOKEN:
        post(s, "/token", NULL, NULL, NULL, "application/x-www-form-urlencoded",
             "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-secret");
        break;
    case UNIFY:
        strcpy(s->number, numbers[next_number++ % number_count]);
        length = strcspn(s->number, " ");
        snprintf(body, sizeof body,
                 "{\"possessionType\":\"mobile\",\"phoneNumber\":\"%.*s\",%s%s%s\"clientRequestId\":\"load-%010llu\"}",
                 length, s->number, s->number[length] ? "\"ipAddress\":\"" : "",
                 s->number[length] ? s->number + length + 1 : "", s->number[length] ? "\"," : "", next_id++);
        platform(s, "/v3/unify", body);
        break;
    case START:
        snprintf(body, sizeof body,
                 "{\"platform\":\"web\",\"sdk\":\"load/1\",\"fallback\":\"otp\",\"deviceKey\":%s,\"cellular\":\"no\"}",
                 with_device_key ? "true" : "false");
        client(s, "/client/v1/session", body);
        break;
    case DEVICE: {
        char proof[1800];
        length = key_device_proof(s->device_key, s->key, s->audience, s->auth_id, s->challenge, proof);
        snprintf(body, sizeof body, "{\"proof\":\"%.*s\"}", length, proof);
        client(s, "/client/v1/session/device", body);
        break;
    }
    case SEND: client(s, "/client/v1/session/otp", "{}"); break;
    case VERIFY:
        snprintf(body, sizeof body, "{\"code\":\"1234\",\"requestId\":\"verify-%010llu\"}", next_id++);
        client(s, "/client/v1/session/otp/verify", body);
        break;
    case STATUS:
        snprintf(body, sizeof body, "{\"correlationId\":\"%s\"}", s->correlation);
        platform(s, "/v3/unify-status", body);
        break;
    }
}

static int member(const char *text, const char *name, char *value, size_t room) {
    char mark[48];
    snprintf(mark, sizeof mark, "\"%s\":\"", name);
    const char *at = strstr(text, mark);
    if (!at) return 0;
    at += strlen(mark);
    size_t length = strcspn(at, "\"");
    if (length >= room) return 0;
    memcpy(value, at, length);
    value[length] = 0;
    return 1;
}

static int read_auth_token(struct session *s, const char *body) {
    char claims[1024];
    if (!member(body, "correlationId", s->correlation, sizeof s->correlation)) return 0;
    if (!member(body, "authToken", s->auth, sizeof s->auth)) return 0;
    const char *first = strchr(s->auth, '.'), *second = first ? strchr(first + 1, '.') : NULL;
    if (!second) return 0;
    int count = base64url_decode(first + 1, second - first - 1, (uint8_t *)claims, sizeof claims - 1);
    if (count < 0) return 0;
    claims[count] = 0;
    return member(claims, "nonce", s->nonce, sizeof s->nonce) && member(claims, "sub", s->auth_id, sizeof s->auth_id) &&
           member(claims, "aud", s->audience, sizeof s->audience);
}

static void begin(struct session *s) {
    if (s->key) key_free(s->key);
    s->key = key_new();
    if (with_device_key) {
        if (s->device_key) key_free(s->device_key);
        s->device_key = key_new();
    }
    s->began = now_ns();
    s->step = per_session_token ? TOKEN : UNIFY;
    if (!per_session_token) strcpy(s->access, shared_token);
    ask(s);
}

/// Takes one answer; 1 when it was the session's last.
static int take(struct session *s, const struct answer *answer) {
    char word[32] = "";
    if (answer->status != 200) fail(s, answer, "another status");
    switch (s->step) {
    case TOKEN:
        if (!member(answer->body, "access_token", s->access, sizeof s->access)) fail(s, answer, "no token");
        break;
    case UNIFY:
        if (!read_auth_token(s, answer->body)) fail(s, answer, "no auth token");
        break;
    case START:
        if (!with_device_key) s->step = DEVICE;
        else if (!member(answer->body, "challenge", s->challenge, sizeof s->challenge)) fail(s, answer, "no challenge");
        break;
    case VERIFY:
        if (!member(answer->body, "outcome", word, sizeof word) || strcmp(word, "succeeded") != 0)
            fail(s, answer, "not succeeded");
        break;
    case STATUS:
        if (!member(answer->body, "success", word, sizeof word) || strcmp(word, "true") != 0) fail(s, answer, "not true");
        return 1;
    case SEND:
        if (unanswered) return 1;
        break;
    default: break;
    }
    s->step++;
    return 0;
}

/// All have taken a step; the next one begins.
static void end_step(enum step step, int count) {
    int64_t now = now_ns(), cpu = settled_cpu_ns();
    apart.count[step] += count;
    apart.took[step] += now - apart.began;
    apart.cpu[step] += cpu - apart.cpu_before;
    apart.cpu_before = cpu;
    if (apart.windows)
        fprintf(apart.windows, "%s %lld %lld\n", step_names[step], (long long)apart.began, (long long)now_ns());
    apart.began = now_ns();
}

static void print_steps(void) {
    const char *comma = "";
    printf(",\"steps\":{");
    for (int i = 0; i <= STATUS; i++) {
        if (apart.count[i] == 0) continue;
        printf("%s\"%s\":{\"count\":%llu,\"seconds\":%.6f,\"cpu\":%.6f}", comma, step_names[i], apart.count[i],
               (double)apart.took[i] / 1e9, (double)apart.cpu[i] / 1e9);
        comma = ",";
    }
    printf("}");
}

int run_sessions(int count, char **arguments) {
    if (count < 5) return 64;
    int next = 5;
    if (next < count && strcmp(arguments[next], "device-key") == 0) with_device_key = next++;
    if (next < count && strcmp(arguments[next], "unanswered") == 0) unanswered = next++;
    if (next + 1 < count && strcmp(arguments[next], "apart") == 0) {
        apart.is_on = clock_getcpuclockid(atoi(arguments[next + 1]), &apart.clock) == 0;
        if (!apart.is_on) return 64;
        next += 2;
        if (next < count && !(apart.windows = fopen(arguments[next++], "w"))) return 64;
    }
    if (next != count) return 64;
    port = atoi(arguments[0]);
    double seconds = atof(arguments[1]);
    int connections = atoi(arguments[2]);
    if (seconds <= 0 || connections < 1 || connections > 4096) return 64;
    snprintf(base, sizeof base, "http://127.0.0.1:%d", port);
    per_session_token = strcmp(arguments[3], "-") == 0;
    snprintf(shared_token, sizeof shared_token, "%s", arguments[3]);
    read_numbers(arguments[4]);
    next_id = (unsigned long long)time(NULL) % 10000 * 1000000;
    struct session *all = calloc(connections, sizeof *all);
    int set = epoll_create1(EPOLL_CLOEXEC), running = connections;
    int64_t start = now_ns(), end = start + (int64_t)(seconds * 1e9);
    if (apart.is_on) apart.cpu_before = settled_cpu_ns();
    apart.began = now_ns();
    for (int i = 0; i < connections; i++) {
        connection_open(&all[i].connection, port);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        epoll_ctl(set, EPOLL_CTL_ADD, all[i].connection.fd, &event);
        begin(&all[i]);
    }
    static struct latencies latencies;
    unsigned long long finished = 0;
    int waiting = 0;
    while (running > 0) {
        struct epoll_event events[256];
        int ready = epoll_wait(set, events, 256, 10000);
        if (ready <= 0) {
            fprintf(stderr, "load: no answer for 10 s\n");
            return 1;
        }
        for (int i = 0; i < ready; i++) {
            struct session *s = &all[events[i].data.u32];
            struct answer answer;
            if (!connection_read(&s->connection)) {
                fprintf(stderr, "load: the server closed a connection\n");
                return 1;
            }
            if (!connection_answer(&s->connection, &answer)) continue;
            enum step step = s->step;
            int last = take(s, &answer);
            connection_consume(&s->connection, &answer);
            if (last) {
                finished++;
                latencies_add(&latencies, (uint64_t)(now_ns() - s->began) / 1000);
            }
            if (apart.is_on) {
                if (++waiting < connections) continue;
                waiting = 0;
                end_step(step, connections);
                if (last && now_ns() >= end) running = 0;
                for (int other = 0; other < running; other++) last ? begin(&all[other]) : ask(&all[other]);
            } else if (!last) ask(s);
            else if (now_ns() < end) begin(s);
            else running--;
        }
    }
    printf("{\"sessions\":%llu,\"seconds\":%.3f,", finished, (double)(now_ns() - start) / 1e9);
    latencies_print(&latencies);
    if (apart.is_on) print_steps();
    printf("}\n");
    return apart.windows && fclose(apart.windows) ? 1 : 0;
}
