internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The named schemas of the client surface.
enum ClientSchemas {
    static let all: [(name: String, schema: Schema)] = [
        (ErrorShape.client.name, clientError), ("State", state), BeginMobileAuth.reply.named,
    ]

    private static let clientError = Schema.record([
        SharedSchemas.stableCode,
        may("error", .text(), "The same as a name; stable. Missing only where the call itself was not reached."),
        SharedSchemas.message,
        may(
            "state", .named("State"),
            "The state after the call, for a caller that has proven to be the session's client."),
    ])
    private static let state = Schema.record([
        must("authId", .identifier, "The session, as its client knows it."),
        must("rev", .integer(0...Int.max), "Grows with every change; for a long poll's after."),
        must(
            "status", .choice(["created", "active", "done"]),
            "created: the token is not redeemed. active: a check is due. done: the session is over."),
        may("outcome", .choice(Session.Outcome.self), "The outcome of a session that is done."),
        must("flow", .choice(SessionRequest.Flow.self), "The flow that the backend has started the session for."),
        may("step", .choice(Session.Step.self), "The check that is due, in an active session."),
        must("allowed", .list(of: .choice(Session.Action.self)), "The calls that make sense now."),
        must("expiresAt", .moment, "The session ends by itself at this time."),
        must("phone", phone, "The number: whether it is needed, and its last digits."),
        must("device", device, "The device key, and its challenge."),
        may("otp", otp, "There if a code is part of the plan."),
        may("link", link, "There if a link is part of the plan."),
        may("mobileAuth", mobileAuth, "There if Mobile Auth is part of the plan."),
    ])
    private static let phone = Schema.record([
        must("needed", .flag, "The person must be asked for the number."),
        may("masked", .text(), "The number, but for its last digits."),
    ]).called("PhoneState")
    private static let device = Schema.record([
        must(
            "status", .choice(["absent", "pending", "recognized", "mismatch", "revoked", "inactive"]),
            """
            absent: no key has answered. pending: its proof is good, and a success will bind it. recognized: it has \
            proven the number. mismatch: it is bound to another number. revoked, inactive: it is no longer good.
            """),
        may("challenge", .text(pattern: "^[A-Za-z0-9_-]+$"), "The text that the device proof must contain."),
        must("rotate", .flag, "The client should make a new key."),
    ]).called("DeviceState")
    private static let left = Schema.integer(0...Int.max)
    private static let aboutSends = "How many more messages the session may send."
    private static let aboutEntries = "How often another number may be named."
    private static let aboutCode = "The number of the error; there with error."
    private static let otp = Schema.record([
        may("codeLength", .integer(4...10), "The number of digits."),
        may("codeExpiresAt", .moment, "When the code that is out expires, UTC. Absent before the first one."),
        must("sendsLeft", left, aboutSends), may("attemptsLeft", left, "Tries at the code that is out."),
        must("phoneEntriesLeft", left, aboutEntries),
    ]).called("OTPState")
    private static let link = Schema.record([
        may("expiresAt", .moment, "When the link that is out expires, UTC. Absent before the first one."),
        may("waitUntil", .moment, "It is worth waiting until this time."),
        must("sendsLeft", left, aboutSends), must("phoneEntriesLeft", left, aboutEntries),
        may("matchCode", .text(pattern: #"^\d\d$"#), "To be shown: the person types it on the phone."),
        may("error", .text(pattern: "^link_[a-z_]+$"), "The reason why the check did not pass."),
        may("code", SharedSchemas.code, aboutCode),
    ]).called("LinkState")
    private static let mobileAuth = Schema.record([
        must("attemptsLeft", left, "How many more attempts may be opened."),
        may("error", .text(pattern: "^mobile_auth_[a-z_]+$"), "The reason why the check did not pass."),
        may("code", SharedSchemas.code, aboutCode),
    ]).called("MobileAuthState")
}
