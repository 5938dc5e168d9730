internal import HTTPServer
internal import SurfaceKit
internal import Text

/// The caller's own ID of a call, which is returned with the answer (CAMARA Commonalities).
enum Correlator {
    private static let field = "x-correlator"

    static var parameter: Parameter {
        .header(may(field, .text(pattern: "^[a-zA-Z0-9_:;./<>{}-]{0,256}$"), "Comes back with the answer."))
    }

    /// - Throws: `.invalidArgument` for a malformed value, and for a repeated field.
    static func check(_ request: Request) throws(OperatorAPIError) {
        _ = try text(of: request)
    }

    /// The answer with the field of the request, if that is well-formed.
    static func echoed(_ response: Response, to request: Request) -> Response {
        guard let text = try? text(of: request) else { return response }
        var response = response
        response.add(field, text)
        return response
    }

    private static func text(of request: Request) throws(OperatorAPIError) -> String? {
        let text = request.headers[field]
        guard text.map(isCorrelator) ?? true, request.headers.count(field) < 2 else {
            throw .invalidArgument("x-correlator has another form")
        }
        return text
    }

    /// `^[a-zA-Z0-9-_:;.\/<>{}]{0,256}$`.
    private static func isCorrelator(_ text: String) -> Bool {
        text.utf8.count <= 256
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_:;./<>{}".utf8.contains($0) }
    }
}
