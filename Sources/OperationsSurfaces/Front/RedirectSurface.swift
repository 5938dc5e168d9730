package import HTTPServer
internal import SurfaceKit
internal import Text

/// What is behind the port for plain HTTP where the server speaks TLS: browsers are led to https, and that is all.
///
///     GET /l/x?y=1        ->  308, Location: https://verify.example.com/l/x?y=1
///     POST /v3/unify      ->  403
///
/// A call of a program is refused, also with GET: it has sent its token in the clear, and must not go unnoticed by
/// working (HTTP-38).
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
        return Response(status: 308, headers: [("Location", publicURL + Self.encoded(request.path) + query)])
    }

    private static func firstSegment(of path: String) -> String {
        let segment = path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        return String(decoding: segment, as: UTF8.self)
    }

    /// As a URL has it: a path was decoded once.
    private static func encoded(_ path: String) -> String {
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Unreserved characters, and those that a path may have as they are (RFC 3986 section 3.3).
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: marks.contains(byte)
        }
    }

    private static let marks = Array("-._~!$&'()*+,;=:@/".utf8)
}
