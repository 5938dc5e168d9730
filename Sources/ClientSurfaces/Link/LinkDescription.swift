internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The pages of instant links in the API description.
enum LinkDescription {
    static let operations = [
        Operation(
            id: "showLink", method: .get, path: path, surface: .link, summary: "Show who asks",
            detail: "A page with two buttons. Changes nothing, so that previews and scanners do no harm.",
            parameters: [token], answers: answers,
            errors: errors([limited, .overloaded, .internalFault("")]), errorShape: .page),
        Operation(
            id: "decideLink", method: .post, path: path, surface: .link, summary: "Approve or deny",
            detail: "The form of the page. A match code that is missing or has another form is asked for again (400).",
            parameters: [token],
            body: .form(
                .record(
                    [
                        must(DecideLink.decision, .choice(["approve", "deny"])),
                        may(DecideLink.matchCode, .text(), "The two digits on the other screen."),
                    ], others: true), #"{"decision":"approve","matchCode":"42"}"#),
            answers: answers,
            errors: errors([
                .field(.missing(DecideLink.decision)), .body(.mediaType(expected: RequestBody.form)),
                .body(.tooLarge(.short)), limited, .overloaded,
                .internalFault(""),
            ]), errorShape: .page, bound: .short),
    ]

    private static let limited = LinkError.rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1))
    private static let path = "/l/{\(LinkRequest.token)}"
    private static let token = Parameter.path(
        LinkRequest.token, .text(least: 1), "Of the message; the only credential.")
    private static let answers = [
        Answer(status: 200, about: "A page: the question, or how it ended.", content: .page),
        Answer(status: 303, about: "To the final target.", content: .page, headers: ["Location"]),
    ]

    /// Pages have no body to describe; statuses and header fields are those of the answers.
    private static func errors(_ errors: [LinkError]) -> [Response] {
        let policy = PagePolicy(sha256: { $0 })
        let pages = errors.map {
            Response(status: $0.status, headers: LinkPages(policy: policy).response(to: $0).headers)
        }
        return [404, 410].map { Response(status: $0) }
            + pages.map { page in
                Response(status: page.status, headers: page.headers.filter { $0.name == "Retry-After" })
            }
    }
}
