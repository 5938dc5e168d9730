internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Texts for each event that receivers can subscribe to: for the API description. A test compares
/// `docs/webhooks/events.md` and the events themselves with it.
enum WebhookCatalogue {
    /// One type of event.
    struct Kind: Sendable {
        let type: WebhookEventType
        /// The end of "Sent when ...".
        let when: String
        /// The members of `data` that it has in addition to those of every event.
        let members: [String]

        init(_ type: WebhookEventType, when: String, _ members: [String] = []) {
            self.type = type
            self.when = when
            self.members = members
        }
    }

    /// Events whose bodies have the same shape.
    struct Group: Sendable {
        /// Begins the names of its schemas.
        let name: String
        /// Whether each of them is about a session; `nil`: some are.
        let isOfSession: Bool?
        /// Whether they may be about a number or an e-mail address.
        var hasTarget = true
        let fields: [Field]
        let kinds: [Kind]
    }

    static let webhooks: [Webhook] = groups.flatMap { group in
        let body = group.body
        return group.kinds.map { kind in
            Webhook(
                kind.type.rawValue, id: "tell." + kind.type.rawValue, when: "Sent when \(kind.when).", headers: headers,
                bodies: [.json(body), Content(type: "application/cloudevents+json", schema: cloudEvent)])
        }
    }

    private static let headers = [
        must("webhook-id", .text(pattern: "^evt_"), "Names the event; every attempt has the same one."),
        must("webhook-timestamp", .text(pattern: #"^\d+$"#), "Unix seconds of this attempt."),
        must("webhook-signature", .text(pattern: "^v1,"), "As Standard Webhooks 1.0.0 has it."),
    ]

    fileprivate static let time = Schema.text(
        pattern: #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#, format: "date-time")

    fileprivate static let aboutTime = "When the event happened, UTC, with milliseconds."

    private static let cloudEvent = Schema.record(
        [
            must("specversion", .choice(["1.0"]), "The version of CloudEvents."),
            must("id", .text(), "The webhook-id."),
            must("source", .text(format: "uri"), "The address of this server."),
            must("type", .text(pattern: #"^com\.holdfast\."#), "This prefix, and the type of the event."),
            may("subject", .text(), "The session of an event that has one."), must("time", time, aboutTime),
            must("datacontenttype", .choice(["application/json"]), "The media type of data."),
            must("data", Schema(["type": "object"]), "The same as in the other form."),
        ], others: true
    ).called("CloudEvent")
}

extension WebhookCatalogue.Group {
    /// The members of `data`.
    var data: [Field] {
        [must("mode", .choice(["live", "sandbox"]), "The mode of this server.")] + ofSession + ofTarget + fields
    }

    fileprivate var body: Schema {
        Schema.record(
            [
                must("type", .choice(kinds.map(\.type.rawValue)), "The kind of event."),
                must("timestamp", WebhookCatalogue.time, WebhookCatalogue.aboutTime),
                must("data", Schema.record(data, others: true).called(name + "EventData"), "Facts of the event."),
            ], others: true
        ).called(name + "Event")
    }

    private var ofSession: [Field] {
        guard let all = isOfSession else { return session(isAlways: false) }
        return all ? session(isAlways: true) : []
    }

    private func session(isAlways: Bool) -> [Field] {
        func field(_ name: String, _ schema: Schema, _ about: String) -> Field {
            isAlways ? must(name, schema, about) : may(name, schema, about)
        }
        return [
            field("sessionId", .identifier, "The session."), field("correlationId", .identifier, "The same session."),
            field("sequence", .integer(1...Int.max), "Rises by one with each event of the session."),
            may("clientRequestId", .text(), "The caller's own name of the session."),
            may("product", .text(), "The product that the session was started for, such as unify."),
            may("channels", .list(of: .text()), "The channels that the session may take, if OTPLESS's calls made it."),
            may("checks", .list(of: .text()), "The checks that the session may take, if OTPLESS's calls made it."),
            may("metadata", .map(of: .text()).called("EventMetadata"), "The metadata that the request had."),
        ]
    }

    private var ofTarget: [Field] {
        guard hasTarget else { return [] }
        return [
            may("phoneNumberHint", .text(), "The number, but for its last digits."),
            may("phoneNumber", .text(), "The whole number, for an endpoint that includes it."),
            may("emailAddressHint", .text(), "The e-mail address, masked."),
            may("emailAddress", .text(), "The whole e-mail address, for an endpoint that includes it."),
            may("subject", .text(), "Stands for the number or address: one client has the same subject for it."),
        ]
    }
}

extension WebhookCatalogue {
    private static let methods = ["device", "mobile_auth", "otp", "link"]
    private static let evaluation = may(
        "evaluation", .list(of: .text()), "The codes of what speaks against the number.")
    private static let deviceID = may("deviceId", .identifier, "The device key.")
    private static let reason = may("reason", .text(), "The reason, as one word.")

    static let groups = [
        Group(
            name: "Session", isOfSession: true,
            fields: [
                may("flow", .text(), "The flow that the session was started for."),
                may("expiresAt", time, "The time at which the session ends by itself."),
                may("platform", .text(), "The platform of the client."),
                may("method", .choice(methods + ["none"]), "The check that passed."), deviceID, evaluation, reason,
                may("lastStep", .text(), "The step at which the session stood."),
                may("statement", .text(), "A signed statement, for an endpoint that includes it."),
            ],
            kinds: [
                Kind(.sessionCreated, when: "your backend has started a session", ["flow", "expiresAt"]),
                Kind(.sessionRedeemed, when: "a client has taken the session up", ["platform"]),
                Kind(.sessionSucceeded, when: "a check has proved the number", ["method", "deviceId", "evaluation"]),
                Kind(.sessionFailed, when: "the session is over without a proof", ["reason", "evaluation"]),
                Kind(.sessionExpired, when: "the session's time is over", ["lastStep"]),
                Kind(.sessionCancelled, when: "the client has given up", ["lastStep"]),
            ]),
        Group(
            name: "Check", isOfSession: true,
            fields: [
                may("method", .choice(methods), "The check."),
                may("remaining", .integer(0...Int.max), "The tries at the code that are left."), reason,
            ],
            kinds: [
                Kind(.checkStarted, when: "a check has begun", ["method"]),
                Kind(.checkFailed, when: "a try at a check has failed", ["method", "remaining", "reason"]),
                Kind(.checkPassed, when: "a check has passed", ["method"]),
                Kind(.linkTapped, when: "the holder of a link that gives a code has gone on in their browser"),
            ]),
        Group(
            name: "Message", isOfSession: true,
            fields: [
                may("messageId", .text(), "The message."), may("channel", .text(), "The channel that took it."),
                may("gateway", .text(), "The gateway that took it."), may("class", .text(), "The kind of failure."),
                may("vendorCode", .text(), "The carrier's own code."),
                may("earlierMessageId", .text(), "The message that was not delivered."),
                may("from", .text(), "The gateway that did not deliver it."),
                may("fromChannel", .text(), "The way that was tried before."),
                may("toChannel", .text(), "The way that the message goes now."),
            ],
            kinds: [
                Kind(.messageSent, when: "a carrier has taken a message", ["messageId", "channel", "gateway"]),
                Kind(.messageFailed, when: "no carrier has taken a message", ["messageId", "class"]),
                Kind(
                    .messageDelivered, when: "a carrier tells that a message has arrived",
                    ["messageId", "channel", "gateway", "vendorCode"]),
                Kind(
                    .messageUndelivered, when: "a carrier tells that a message has not arrived",
                    ["messageId", "channel", "gateway", "vendorCode", "class"]),
                Kind(
                    .messageFallback, when: "a message was not delivered, and goes by the next route",
                    ["messageId", "earlierMessageId", "from"]),
                Kind(
                    .messageChannelChanged, when: "a message goes another way than the one tried before",
                    ["messageId", "toChannel", "fromChannel"]),
            ]),
        Group(
            name: "DeviceKey", isOfSession: nil, fields: [deviceID, reason],
            kinds: [
                Kind(.deviceKeyBound, when: "a device key is bound", ["deviceId"]),
                Kind(.deviceKeyNumberMismatch, when: "a device key belongs to another number", ["deviceId"]),
                Kind(.deviceKeyRetired, when: "a device key is retired", ["deviceId", "reason"]),
                Kind(
                    .deviceKeyRevoked, when: "your backend or an operator revokes a device key", ["deviceId", "reason"]),
            ]),
        Group(
            name: "Activation", isOfSession: nil,
            fields: [
                must("activationId", .identifier, "The activation."),
                may("name", .text(), "The phone's name for itself."),
                may("platform", .text(), "The phone's platform."), reason,
            ],
            kinds: [
                Kind(
                    .activationCreated, when: "an app on a phone has got keys of its own",
                    ["activationId", "name", "platform"]),
                Kind(
                    .activationBlocked, when: "an activation is blocked",
                    ["activationId", "name", "platform", "reason"]),
                Kind(
                    .activationUnblocked, when: "an activation is no longer blocked",
                    ["activationId", "name", "platform", "reason"]),
                Kind(
                    .activationRemoved, when: "an activation is removed",
                    ["activationId", "name", "platform", "reason"]),
            ]),
        Group(
            name: "Identity", isOfSession: false,
            fields: [
                must("identityId", .identifier, "The identity."),
                may("changes", .list(of: .text()), "The names of the members that are changed."),
            ],
            kinds: [
                Kind(.identityEnrolled, when: "an identity is enrolled", ["identityId", "changes"]),
                Kind(.identityChanged, when: "an identity is changed", ["identityId", "changes"]),
                Kind(.identityDeleted, when: "an identity is deleted", ["identityId", "changes"]),
            ]),
        Group(
            name: "Prefill", isOfSession: true, fields: [may("step", .text(), "The step of the run.")],
            kinds: [
                Kind(.prefillCompleted, when: "a Pre-Fill run has come to its end", ["step"]),
                Kind(.prefillRefused, when: "a step of a Pre-Fill run is refused", ["step"]),
            ]),
        Group(name: "Risk", isOfSession: nil, fields: risk, kinds: riskKinds),
        Group(
            name: "Budget", isOfSession: false, hasTarget: false, fields: budget,
            kinds: [
                Kind(.budgetWarning, when: "four fifths of a day's budget are spent", budget.map(\.name)),
                Kind(.budgetExhausted, when: "a message did not fit into a day's budget", budget.map(\.name)),
            ]),
        Group(
            name: "Endpoint", isOfSession: false, hasTarget: false,
            fields: [
                must("endpointId", .text(), "The endpoint."), reason,
                may("since", time, "The time from which nothing was taken."),
            ],
            kinds: [
                Kind(
                    .endpointDisabled, when: "another endpoint of yours is disabled", ["endpointId", "reason", "since"]),
                Kind(.ping, when: "you test or enable an endpoint", ["endpointId"]),
            ]),
    ]

    private static let scope = [
        must("scope", .text(), "The kind of thing that it holds for: number, device, prefix, country, client, server."),
        may("country", .text(), "The country, such as US."), may("clientId", .text(), "The API client."),
    ]
    private static let risk =
        scope + [
            must("rule", .text(), "The limit, or reputation."),
            may("prefix", .text(), "The first digits of the numbers."),
            may("limit", .text(), "The limit that was hit several times in a row."),
            may("failuresInARow", .integer(0...Int.max), "The number of failures."), deviceID, evaluation,
        ]
    private static let riskKinds = [
        Kind(.riskBlocked, when: "a limit or the number's standing stops messages or checks", risk.map(\.name)),
        Kind(
            .riskWatched, when: "a limit would have stopped messages, were the guard not set to watch",
            ["scope", "country", "clientId", "rule", "prefix"]),
        Kind(
            .riskCleared, when: "messages that were stopped go on", ["scope", "country", "clientId", "rule", "prefix"]),
    ]
    private static let budget =
        scope + [
            must("period", .choice(["day"]), "The time that the budget is for."),
            must("used", .text(), "A decimal number."),
            must("limit", .text(), "A decimal number."),
            must("guard", .choice(["block", "watch"]), "Whether the budget stops messages."),
        ]
}
