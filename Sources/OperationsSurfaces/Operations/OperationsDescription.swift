internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// The operations surface in the API description.
enum OperationsDescription {
    static let operations = [
        Operation(
            id: "readFrontPage", method: .get, path: "/", surface: .operations, summary: "What this server is",
            detail:
                "A page for people, where Accept prefers text/html; programs get 404. Unknown paths and wrong methods "
                + "are answered with a page in the same way.",
            answers: [Answer(status: 200, about: "The page.", content: .page)],
            errors: [FrontSurface.nothing(hasDocs: true)], listeners: ["public", "operations"]),
        operation("readHealth", "/healthz", "The process serves", "For the restart policy of a supervisor.", [ok]),
        operation(
            "readReadiness", "/readyz", "Whether requests may be sent here",
            "For balancers: the store answers, and the server is not draining.", [ok]),
        operation(
            "readMetrics", "/metrics", "Figures", "Prometheus text format 0.0.4.",
            [Answer(status: 200, about: "The figures.", content: Content(type: "text/plain", schema: .text()))],
            isForOperators: true),
        operation(
            "readPublicKeys", "/.well-known/jwks.json", "Public keys of the tokens",
            "Every key whose tokens may still be alive (RFC 7517 section 5).",
            [Answer(status: 200, about: "The keys.", content: .json(keys), headers: ["Cache-Control"])]),
        operation(
            "readDescription", "/openapi.json", "This description", "OpenAPI 3.1; schemas are JSON Schema 2020-12.",
            [
                Answer(
                    status: 200, about: "The document.",
                    content: .json(.record([must("openapi", .text(pattern: #"^3\.1\."#))], others: true)),
                    headers: ["ETag", "Cache-Control"]), notModified,
            ], parameters: [ifNoneMatch], isForOperators: true),
        operation(
            "readDocumentation", "/docs", "This description as a page", "For people; made from the same document.",
            [
                Answer(status: 200, about: "The page.", content: .page, headers: ["ETag", "Cache-Control"]),
                notModified,
            ], parameters: [ifNoneMatch], isForOperators: true),
    ]

    private static func operation(
        _ id: String, _ path: String, _ summary: String, _ detail: String, _ answers: [Answer],
        parameters: [Parameter] = [], isForOperators: Bool = false
    ) -> Operation {
        Operation(
            id: id, method: .get, path: path, surface: .operations, summary: summary, detail: detail,
            parameters: parameters, answers: answers,
            listeners: isForOperators ? ["operations"] : ["public", "operations"])
    }

    private static let ok = Answer(
        status: 200, about: "Yes.", content: .json(.record([must("status", .choice(["ok"]))])))
    private static let notModified = Answer(
        status: 304, about: "The version in If-None-Match is the newest.", headers: ["ETag", "Cache-Control"])
    private static let ifNoneMatch = Parameter.header(
        may("If-None-Match", .text(), "The ETag of the version that is there."))

    private static let keys = Schema.record([
        must(
            "keys",
            .list(
                of: .record([
                    must("kty", .choice(["EC"])), must("crv", .choice(["P-256"])), must("use", .choice(["sig"])),
                    must("alg", .choice(["ES256"])), must("kid", .text()), must("x", coordinate),
                    must("y", coordinate),
                ])))
    ])
    private static let coordinate = Schema.text(pattern: "^[A-Za-z0-9_-]{43}$")
}
