internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The named schemas of the sandbox surface.
enum SandboxSchemas {
    static let all: [(name: String, schema: Schema)] = [
        ("SandboxSession", sandboxSession()), ("SandboxTimeline", sandboxSession(events)),
        ("SandboxClock", sandboxClock),
    ]

    private static func sandboxSession(_ more: [Field] = []) -> Schema {
        .record(
            [
                must("correlationId", .identifier), must("authId", .identifier), must("clientId", .text()),
                must("flow", .choice(SessionRequest.Flow.self)), may("phoneNumber", .text()),
                must("status", .choice(["created", "active", "done"])),
                may("step", .choice(Session.Step.self)), may("outcome", .choice(Session.Outcome.self)),
                may("endedAt", .moment), may("method", .text(pattern: "^[a-zA-Z]+$"), "Which check passed."),
                must("createdAt", .moment), must("expiresAt", .moment),
            ] + more)
    }
    private static let events = [
        must(
            "events",
            .list(
                of: .record([
                    must("at", .moment), must("event", .choice(SessionEvent.Kind.self)),
                    may("detail", .text(), "A word of a fixed list, or a masked number."),
                ])), "Oldest first.")
    ]
    private static let sandboxClock = Schema.record([
        must("now", .moment), must("offsetSeconds", .integer(0...Int.max), "How far it is ahead of the machine's."),
    ])
}
