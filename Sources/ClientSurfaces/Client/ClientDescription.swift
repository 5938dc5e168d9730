internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// The API description of the client surface.
enum ClientDescription {
    static let path = "/client/v1/session"

    /// Errors that every call with an auth token may return.
    static let common: [ClientError] = [
        .invalidRequest("field 'requestId' must be a string"), .invalidToken(wasSent: true),
        .notAdmitted(.invalidDPoPProof(.missing)), .notAdmitted(.tokenAlreadyUsed), .refused(.invalidState),
        .originNotAllowed,
        .refused(.rateLimited(.init(.polls, retryAfterSeconds: 1))), .overloaded, .internalFault(""),
    ]
    static let correlator = Parameter.header(
        may("x-correlator", .text(), "Comes back with the answer if it is 1 to 128 of [A-Za-z0-9._:-]."))
    static let languages = Parameter.header(
        may("Accept-Language", .text(), "The languages of messages, where nothing else says it; browsers set it."))

    /// The preflight of a web page (Fetch standard).
    /// - Parameter path: of a call.
    static func preflight(_ path: String) -> Operation {
        let words = path.dropFirst(Self.path.count).split { "/-".contains($0) }
        return Operation(
            id: "preflightSession" + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(),
            method: .options, path: path, surface: .client, summary: "Preflight",
            detail: "Whether a web page may call (CORS): exact origins of the API client, no cookies.",
            parameters: [.header(may("Origin", .text(), "Set by the browser."))],
            answers: [Answer(status: 204, about: "It may, or no page asked.", headers: ["Vary"])],
            errors: [ClientError.originNotAllowed.response], errorShape: .client)
    }
}
