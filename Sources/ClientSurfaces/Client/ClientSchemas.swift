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
        may("state", .named("State"), "The state after the call, for whoever has shown to be the session's client."),
    ])
    private static let state = Schema.record([
        must("authId", .identifier, "The session, as its client knows it."),
        must("rev", .integer(0...Int.max), "Grows with every change; for a long poll's after."),
        must("status", .choice(["created", "active", "done"])),
        may("outcome", .choice(Session.Outcome.self), "The outcome of a session that is done."),
        must("flow", .choice(SessionRequest.Flow.self)),
        may("step", .choice(Session.Step.self), "The check that is due, in an active session."),
        must("allowed", .list(of: .choice(Session.Action.self)), "The calls that make sense now."),
        must("expiresAt", .moment, "The session ends by itself at this time."),
        must("phone", phone), must("device", device), may("otp", otp, "There if a code is part of the plan."),
        may("link", link, "There if a link is part of the plan."),
        may("mobileAuth", mobileAuth, "There if Mobile Auth is part of the plan."),
    ])
    private static let phone = Schema.record([
        must("needed", .flag, "The person must be asked for the number."),
        may("masked", .text(), "The number, but for its last digits."),
    ]).called("PhoneState")
    private static let device = Schema.record([
        must("status", .choice(["absent", "pending", "recognized", "mismatch", "revoked", "inactive"])),
        may("challenge", .text(pattern: "^[A-Za-z0-9_-]+$"), "The text that the device proof must contain."),
        must("rotate", .flag, "The client should make a new key."),
    ]).called("DeviceState")
    private static let left = Schema.integer(0...Int.max)
    private static let otp = Schema.record([
        may("codeLength", .integer(4...10), "The number of digits."), may("codeExpiresAt", .moment),
        must("sendsLeft", left), may("attemptsLeft", left, "Tries at the code that is out."),
        must("phoneEntriesLeft", left, "How often another number may be named."),
    ]).called("OTPState")
    private static let link = Schema.record([
        may("expiresAt", .moment), may("waitUntil", .moment, "It is worth waiting until this time."),
        must("sendsLeft", left), must("phoneEntriesLeft", left),
        may("matchCode", .text(pattern: #"^\d\d$"#), "To be shown: the person types it on the phone."),
        may("error", .text(pattern: "^link_[a-z_]+$"), "The reason why the check did not pass."),
        may("code", SharedSchemas.code),
    ]).called("LinkState")
    private static let mobileAuth = Schema.record([
        must("attemptsLeft", left),
        may("error", .text(pattern: "^mobile_auth_[a-z_]+$"), "The reason why the check did not pass."),
        may("code", SharedSchemas.code),
    ]).called("MobileAuthState")
}
