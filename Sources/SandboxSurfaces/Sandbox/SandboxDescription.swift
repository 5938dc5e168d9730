internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The sandbox surface in the API description.
enum SandboxDescription {
    static let operations = [messages, readClock, moveClock, users, sessions, timeline, complete]

    private static func get(
        _ id: String, _ path: String, _ summary: String, _ detail: String, _ parameters: [Parameter] = [],
        _ answer: Content, errors: [SandboxError] = []
    ) -> Operation {
        Operation(
            id: id, method: .get, path: path, surface: .sandbox, summary: summary, detail: detail,
            parameters: parameters, answers: [Answer(status: 200, about: "Done.", content: answer)],
            errors: (errors + [.overloaded, .internalFault("")]).map(\.response) + [SandboxHosts.refusal])
    }

    private static func post(
        _ id: String, _ path: String, _ summary: String, _ detail: String, _ parameters: [Parameter] = [],
        body: Content, _ answer: Content, errors: [SandboxError] = []
    ) -> Operation {
        let common: [SandboxError] = [
            .field(.missing("outcome")), .body(.mediaType(expected: RequestBody.json)), .body(.tooLarge(.short)),
            .overloaded, .internalFault(""),
        ]
        return Operation(
            id: id, method: .post, path: path, surface: .sandbox, summary: summary, detail: detail,
            parameters: parameters, body: body, answers: [Answer(status: 200, about: "Done.", content: answer)],
            errors: (errors + common).map(\.response) + [SandboxHosts.refusal], bound: .short)
    }

    private static let messages = get(
        "listMessages", "/sandbox/messages", "Messages that were \"sent\"",
        "Newest last. With wait a long poll: answers as soon as there is one.",
        [
            .query(may("to", .text(), "A number: a sandbox user's digits, or E.164.")),
            .query(may("after", .text(most: 64), "The id of the last message that was seen.")),
            .query(may("wait", .integer(0...30), "Seconds.")),
        ], .json(.record([must("messages", .list(of: message))])),
        errors: [
            .field(FieldDefect("to", "is not a phone number")),
            .rateLimited(.init(.waitsPerAddress, retryAfterSeconds: 5)),
        ])

    private static let message = Schema.record([
        must("id", .text()), must("to", .text()), must("channel", .choice(["sms"])), must("text", .text()),
        may("code", .text(pattern: "^[0-9]{4,10}$")), may("link", .text(format: "uri")),
        must("correlationId", .identifier), must("sentAt", .moment),
    ])

    private static let clock = Content.json(.named("SandboxClock"))
    private static let readClock = get(
        "readClock", "/sandbox/clock", "The server's notion of now", "Every expiry goes by it.", [], clock)
    private static let moveClock = post(
        "moveClock", "/sandbox/clock", "Move the clock",
        "On by advanceSeconds, or back to the machine's with reset: one of the two.",
        body: .json(
            .record(
                [may("advanceSeconds", Schema.integer(0...Int.max).orNull), may("reset", Schema.flag.orNull)],
                others: true),
            #"{"advanceSeconds":121}"#), .json(.named("SandboxClock")))

    private static let users = get(
        "listUsers", "/sandbox/users", "Test users, and what each does", "From the sandbox users file.", [],
        .json(.record([must("users", .list(of: user))])))
    private static let passOrFail = Schema.choice(["pass", "fail"])
    private static let user = Schema.record([
        must("phoneNumber", .text()), must("name", .text()), must("region", .choice(["NA", "Intl"])),
        must("otp", passOrFail, "Whether a code passes."),
        may("codes", .list(of: .text()), "Which pass, where not 1234."),
        must("delivery", .choice(["ok", "fail"])), must("deliveryDelaySeconds", .integer(0...Int.max)),
        must("mobileAuth", .choice(SandboxUser.MobileAuthOutcome.self)), must("reputation", passOrFail),
        may("reputationReasons", .map(of: .text())), must("link", .choice(SandboxUser.LinkBehaviour.self)),
        must("withoutClient", .flag, "Passes at once, without a client."),
        may(
            "verify",
            .record([
                must("success", .flag), must("assuranceLevel", .choice(Assurance.Level.texts)),
                must("reasons", .list(of: .text())),
            ]), "How verifications end."), may("note", .text()),
    ])

    private static let sessions = get(
        "listSessions", "/sandbox/sessions", "The newest sessions", "At most 100, newest first.", [],
        .json(.record([must("sessions", .list(of: .named("SandboxSession")))])))
    private static let correlationID = Parameter.path("correlationId", .givenIdentifier, "Of unify.")
    private static let timeline = get(
        "readTimeline", "/sandbox/sessions/{correlationId}", "One session, and what happened in it",
        "Events are oldest first.", [correlationID], .json(.named("SandboxTimeline")), errors: [.unknownSession])
    private static let complete = post(
        "completeSession", "/sandbox/sessions/{correlationId}/complete", "Play the client",
        "Ends the session either way.",
        [correlationID],
        body: .json(
            .record([must("outcome", .choice(["success", "failure"]))], others: true), #"{"outcome":"success"}"#),
        .json(.named("SandboxSession")), errors: [.unknownSession, .alreadyDone])
}
