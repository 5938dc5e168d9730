internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The client surface in the API description.
enum ClientDescription {
    static let path = "/client/v1/session"

    /// What every call with an auth token may answer.
    static let common: [ClientError] = [
        .invalidRequest("field 'requestId' must be a string"), .invalidToken(wasSent: true),
        .refused(.invalidDPoPProof), .refused(.tokenAlreadyUsed), .refused(.invalidState), .originNotAllowed,
        .refused(.rateLimited(.init(.polls, retryAfterSeconds: 1))), .overloaded, .internalFault(""),
    ]
    static let correlator = Parameter.header(
        may("x-correlator", .text(), "Comes back with the answer if it is 1 to 128 of [A-Za-z0-9._:-]."))

    private static func get(
        _ id: String, _ call: String, _ summary: String, _ detail: String, _ parameters: [Parameter], _ answer: Answer
    ) -> Operation {
        Operation(
            id: id, method: .get, path: path + call, surface: .client, summary: summary, detail: detail,
            caller: .authToken, parameters: parameters + [correlator], answers: [answer],
            errors: common.map(\.response), errorShape: .client)
    }

    static let read = get(
        "readSession", "", "Read the state",
        "With after and wait a long poll: answers as soon as rev is over after. A newer poll releases the older one.",
        [
            .query(may("after", .integer(0...Int.max), "The rev that is known.")),
            .query(may("wait", .integer(0...25), "Seconds.")),
        ], Answer(status: 200, about: "The state.", content: .json(.named("State"))))

    static let stream = get(
        "streamSession", "/events", "Follow the state",
        """
        Server-sent events: after each change one named state whose data is the state and whose id is its rev, until \
        the session is done. A comment every 15 s keeps the connection alive.
        """,
        [.header(may("Last-Event-ID", .integer(0...Int.max), "The last event that was seen."))],
        Answer(
            status: 200, about: "The stream.", content: Content(type: "text/event-stream", schema: .anything)))

    /// The preflight of a web page (Fetch standard).
    /// - Parameter path: of a call.
    static func preflight(_ path: String) -> Operation {
        let words = path.dropFirst(Self.path.count).split { "/-".contains($0) }
        return Operation(
            id: "preflightSession" + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(),
            method: .options, path: path, surface: .client, summary: "Preflight",
            detail: "Whether a web page may call (CORS): exact origins of the API client, no cookies.",
            parameters: [.header(may("Origin", .text(), "Set by the browser."))],
            answers: [Answer(status: 204, about: "It may, or nobody asked.", headers: ["Vary"])],
            errors: [ClientError.originNotAllowed.response], errorShape: .client)
    }
}
