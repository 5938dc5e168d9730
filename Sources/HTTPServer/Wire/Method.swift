/// A request method (RFC 9110 section 9). Methods are case-sensitive: `post` is `.other`.
package enum Method: Sendable, Hashable {
    case get, head, post, put, delete, options, patch, trace, connect
    case other(String)

    package var text: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .other(let text): text
        }
    }

    /// Whether requests of this method usually carry content (RFC 9110 section 9.3).
    var usuallyHasBody: Bool { self == .post || self == .put || self == .patch }

    init(_ bytes: ArraySlice<UInt8>) {
        let candidate: Method? =
            switch (bytes.count, bytes.first) {
            case (3, UInt8(ascii: "G")): .get
            case (3, _): .put
            case (4, UInt8(ascii: "P")): .post
            case (4, _): .head
            case (5, UInt8(ascii: "P")): .patch
            case (5, _): .trace
            case (6, _): .delete
            case (7, UInt8(ascii: "O")): .options
            case (7, _): .connect
            default: nil
            }
        if let candidate, candidate.text.utf8.elementsEqual(bytes) {
            self = candidate
        } else {
            self = .other(String(decoding: bytes, as: UTF8.self))
        }
    }
}
