internal import HTTPServer
internal import SurfaceKit
internal import Text

/// The header field `x-correlator`. Callers use it to identify a call; every answer repeats it (Commonalities 0.6).
enum Correlator {
    static let field = "x-correlator"
    private static let mostBytes = 256

    /// - Throws: the field is malformed.
    static func check(_ request: Request) throws(FieldDefect) {
        let isRight =
            switch request.headers.count(field) {
            case 0: true
            case 1: isWellFormed(request)
            default: false
            }
        guard isRight else {
            throw FieldDefect(field, "may have at most \(mostBytes) letters, digits and - _ : ; . / < > { }")
        }
    }

    private static func isWellFormed(_ request: Request) -> Bool {
        guard let value = request.headers.bytes(field) else { return false }
        let others = Array("-_:;./<>{}".utf8)
        return value.count <= mostBytes && value.allSatisfy { $0.isLetterOrDigit || others.contains($0) }
    }

    /// The answer with the request's field, if that is well-formed.
    static func echoed(_ response: Response, to request: Request) -> Response {
        guard request.headers.count(field) == 1, isWellFormed(request), let value = request.headers[field],
            !value.utf8.isEmpty
        else { return response }
        var response = response
        response.add(field, value)
        return response
    }
}
