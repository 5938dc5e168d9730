package import HTTPServer
internal import SurfaceKit
internal import Text

/// The port for plain HTTP of a server with TLS: it redirects browsers to https, and does nothing else.
///
///     GET /l/x?y=1        ->  308, Location: https://verify.example.com/l/x?y=1
///     POST /v3/unify      ->  403
///
/// A program's call is refused, even with GET: it has sent its token unencrypted, and a working redirect would hide
/// that (HTTP-38).
package struct RedirectSurface: Sendable {
    private let publicURL: String
    /// The first segments of the paths that programs call.
    private let callSegments: Set<ByteText>

    /// - Parameters:
    ///   - publicURL: without a slash at the end.
    ///   - calls: routes that programs call.
    package init(publicURL: String, calls: [Route]) {
        self.publicURL = publicURL
        callSegments = Set(calls.map { ByteText(Self.firstSegment(of: $0.pattern)) })
    }

    /// Answers every path and method.
    package var route: Route { .immediate(.get, "/") { answer($0) } }

    private func answer(_ request: Request) -> Response {
        let isCall = callSegments.contains(ByteText(Self.firstSegment(of: request.path)))
        guard request.method == .get || request.method == .head, !isCall, request.headers.count("authorization") == 0
        else {
            return .coded(403, code: 8003, message: "nothing is served without encryption: use \(publicURL)")
        }
        let query = request.rawQuery.isEmpty ? "" : "?" + request.rawQuery
        // Encoded again, because the path was decoded once.
        let path = PercentCoding.encode(request.path, keeping: Self.marks)
        return Response(status: 308, headers: [("Location", publicURL + path + query)])
    }

    private static func firstSegment(of path: String) -> String {
        let segment = path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        return String(decoding: segment, as: UTF8.self)
    }

    /// Characters that a path may have besides letters and digits (RFC 3986 section 3.3).
    private static let marks = "!$&'()*+,;=:@/"
}
