internal import HTTPServer
internal import SurfaceKit
internal import Text

/// The caller's own name of a call, which comes back with the answer (CAMARA Commonalities).
struct Correlator: Sendable {
    private let text: String?

    private static let field = "x-correlator"

    static var parameter: Parameter {
        .header(may(field, .text(pattern: "^[a-zA-Z0-9_:;./<>{}-]{0,256}$"), "Comes back with the answer."))
    }

    /// - Throws: `.invalidArgument` for one of another form, and for a second one.
    init(_ request: Request) throws(OperatorAPIError) {
        text = request.headers[Self.field]
        guard text.map(Self.isCorrelator) ?? true, request.headers.count(Self.field) < 2 else {
            throw .invalidArgument("x-correlator has another form")
        }
    }

    func added(to response: Response) -> Response {
        guard let text else { return response }
        var response = response
        response.add(Self.field, text)
        return response
    }

    /// `^[a-zA-Z0-9-_:;.\/<>{}]{0,256}$`.
    private static func isCorrelator(_ text: String) -> Bool {
        text.utf8.count <= 256
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_:;./<>{}".utf8.contains($0) }
    }
}
