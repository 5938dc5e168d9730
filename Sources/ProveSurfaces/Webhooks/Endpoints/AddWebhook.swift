internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v1/webhooks`: sends events of the caller's sessions to a URL from now on.
///
///     {"url":"https://shop.example/hooks","types":["session.*"]}  ->  200 {"id":"we_0193...","secret":"whsec_...", ...}
struct AddWebhook: PlatformEndpoint {
    /// Kinds of key pairs that an endpoint can have in addition to its secret.
    enum Key: String, CaseIterable { case ed25519 }

    let webhooks: WebhookManager

    static let call = Call(
        .post, "/v1/webhooks", id: "addWebhook", "Add a webhook endpoint",
        """
        Events of the caller's sessions are sent there from now on, with the headers of Standard Webhooks 1.0.0. The answer \
        has the secret, this once. At most \(WebhookRules.mostEndpoints) endpoints of one client.
        """,
        body: .json(#"{"url":"https://shop.example/hooks","types":["session.*"],"key":"ed25519"}"#))
    static let body = Shape(WebhookManager.Order()) {
        Member.required(
            "url", .filledText(.freeText(WebhookRules.mostURLBytes)),
            "https, on a port that the operator allows; in sandbox also http to a loopback address."
        ) { $0.url = $1 }
        Member.required(
            "types", .list(of: .freeText(64), most: WebhookFilter.mostWords),
            "Event types such as session.succeeded, groups such as session.*, or * for all but check.*."
        ) { $0.types = $1 }
        Member.optional("key", .choice(Key.allCases), "Signs with a key pair as well: v1a beside v1.") { order, _ in
            order.hasKeyPair = true
        }
        Member.optional(
            "include", include,
            "phoneNumber: bodies hold the whole number. statement: those of session.succeeded hold a signed statement."
        ) { $0.includes = $1 }
        Member.optional(
            "format", .choice(WebhookEndpoint.Format.allCases),
            "standard unless it is given. prelude, otpless: events of that surface only, in its words and with its signature."
        ) { $0.format = $1 }
        Member.optional(
            "ordering", .choice(WebhookEndpoint.Ordering.allCases),
            "session: events of one session one after the other."
        ) { $0.ordering = $1 }
        Member.optional(
            "handshake", .flag,
            """
            true: the receiver is asked first, by OPTIONS with WebHook-Request-Origin, and must allow it by \
            WebHook-Allowed-Origin; else 400. For the format cloudevents.
            """
        ) { $0.hasHandshake = $1 }
    }
    static let isAudited = true
    static let reply = WebhookReplies.endpoint

    private static let include: Input<Set<WebhookEndpoint.Inclusion>> = Input<[String]>.list(
        of: .freeText(32), most: WebhookEndpoint.Inclusion.ofTenants.count
    ).map(orFail: "may have phoneNumber and statement only") {
        WebhookEndpoint.Inclusion.read($0, among: WebhookEndpoint.Inclusion.ofTenants)
    }

    func respond(
        to order: WebhookManager.Order, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> WebhookManager.Shown {
        try await webhooks.answer { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.add(order, for: tenant.id)
        }
    }
}
