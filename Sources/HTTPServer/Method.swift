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

    private static let known: [Method] = [.get, .post, .head, .put, .delete, .options, .patch, .trace, .connect]

    init(_ bytes: ArraySlice<UInt8>) {
        for method in Method.known where method.text.utf8.elementsEqual(bytes) {
            self = method
            return
        }
        self = .other(String(decoding: bytes, as: UTF8.self))
    }
}
