internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The hops of Mobile Auth in the API description.
enum MobileAuthDescription {
    static let operations = [
        Operation(
            id: "goToOperator", method: .get, path: "/ma/v1/go/{attemptId}", surface: .mobileAuth,
            summary: "Go to the operator",
            detail: "The first hop: uses up the ticket. Where no operator is known it answers as the return hop does.",
            parameters: [
                .path("attemptId", .text(least: 1), "Of the attempt."),
                .query(may("t", .text(), "The ticket, as it stands in authUrl.")),
                .query(may("phoneNumber", .text(), "Sandbox: whose phone follows, where the session has no number.")),
            ],
            answers: [Answer(status: 302, about: "To the operator.", headers: ["Location"])] + arrivals,
            errors: [403, 404, 410].map(HopAnswer.failed) + faults, errorShape: .hop),
        Operation(
            id: "returnFromOperator", method: .get, path: "/ma/v1/cb", surface: .mobileAuth,
            summary: "Come back from the operator", detail: "Where the operator sends the phone with its answer.",
            parameters: [
                .query(may("state", .text(), "As sent to the operator.")),
                .query(may("code", .text(), "The operator's authorization code.")),
                .query(may("error", .text(), "Why there is none.")),
            ],
            answers: arrivals, errors: [400, 403, 404, 410].map(HopAnswer.failed) + faults, errorShape: .hop),
    ]

    private static let faults =
        [500, 503].map(HopAnswer.failed) + [HopAnswer.limited(.init(.callsPerAddress, retryAfterSeconds: 1))]
    private static let arrivals = [
        Answer(
            status: 200, about: "The fingerprint, or that there is none.",
            content: .json(.any(of: [.record([must("vfp", .text(), "For finish.")]), .named("HopError")]))),
        Answer(status: 303, about: "To the web page, with #vfp= or #error=.", headers: ["Location"]),
    ]

    static let hopError = Schema.record([
        must("error", .choice([HopAnswer.unavailable])), may("message", .text(), "Which limit refused the call."),
    ])
}
