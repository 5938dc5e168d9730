// libcurl 7.85 or later: the functions that Outbound uses, and inline functions for those that Swift cannot import
// (variadic calls, casted macros).
#ifndef HOLDFAST_CCURL_H
#define HOLDFAST_CCURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/// Call once per process, before any other function of libcurl.
static inline CURLcode ccurl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long number) {
    return curl_easy_setopt(easy, option, number);
}

/// libcurl keeps a copy of the text.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

/// libcurl keeps a copy of the bytes.
static inline CURLcode ccurl_set_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return result ? result : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count ? bytes : "");
}

/// The lines belong to the caller, and must live as long as the handle.
static inline CURLcode ccurl_set_lines(CURL *easy, CURLoption option, struct curl_slist *lines) {
    return curl_easy_setopt(easy, option, lines);
}

/// Sends `count` bytes in total, read from `owner`.
static inline CURLcode ccurl_set_upload(CURL *easy, void *owner, curl_read_callback read, size_t count) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READDATA, owner);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    return curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)count);
}

/// Sets the callbacks for a running handle; each is called with `owner`.
static inline CURLcode ccurl_set_callbacks(
    CURL *easy, void *owner, curl_write_callback head, curl_write_callback body, curl_opensocket_callback open,
    curl_prereq_callback ready) {
    curl_easy_setopt(easy, CURLOPT_PRIVATE, owner);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, owner);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, owner);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, owner);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, owner);
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, ready);
}

static inline CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long number) {
    return curl_multi_setopt(multi, option, number);
}

/// The owner of the next finished handle, and its result; NULL: none.
static inline void *ccurl_next_done(CURLM *multi, CURLcode *result) {
    int rest = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &rest))) {
        void *owner = NULL;
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        if (curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&owner) == CURLE_OK && owner) return owner;
    }
    return NULL;
}

static inline int ccurl_refuse_look_up(void *resolver, void *reserved, void *owner) {
    (void)resolver;
    (void)reserved;
    (void)owner;
    return 1;
}

/// Sets the addresses of the URL's host name, as "+name:port:address,...", so that libcurl looks nothing up. The line
/// belongs to the caller, and must live as long as the handle.
static inline CURLcode ccurl_set_addresses(CURL *easy, struct curl_slist *line) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, ccurl_refuse_look_up);
    return result ? result : curl_easy_setopt(easy, CURLOPT_RESOLVE, line);
}

/// Looks a name up with the system's functions, and calls `each` with the 4 or 16 bytes of every address. May take half
/// a minute.
static inline void ccurl_look_up(
    const char *name, void *owner, void (*each)(void *owner, const unsigned char *bytes, size_t count)) {
    struct addrinfo hints = {0}, *found = NULL;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(name, NULL, &hints, &found) != 0) return;
    for (struct addrinfo *one = found; one; one = one->ai_next) {
        if (one->ai_family == AF_INET) {
            each(owner, (const unsigned char *)&((struct sockaddr_in *)one->ai_addr)->sin_addr, 4);
        } else if (one->ai_family == AF_INET6) {
            each(owner, (const unsigned char *)&((struct sockaddr_in6 *)one->ai_addr)->sin6_addr, 16);
        }
    }
    freeaddrinfo(found);
}

/// Number of connections that the handle has opened.
static inline long ccurl_opened(CURL *easy) {
    long count = 0;
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &count);
    return count;
}

/// A proxy's last status for CONNECT; 0: none.
static inline long ccurl_tunnel_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
    return status;
}

/// Writes an IPv4 or IPv6 address to `bytes`, which has room for 16 bytes; returns 4, 16, or 0 for another family.
static inline int ccurl_address(const struct curl_sockaddr *address, unsigned char *bytes) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in four;
        memcpy(&four, &address->addr, sizeof four);
        memcpy(bytes, &four.sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 six;
        memcpy(&six, &address->addr, sizeof six);
        memcpy(bytes, &six.sin6_addr, 16);
        return 16;
    }
    return 0;
}

static inline curl_socket_t ccurl_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

#endif
