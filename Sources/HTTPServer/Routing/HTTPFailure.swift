/// A failure that the engine itself answers; the surface supplies the body.
package enum HTTPFailure: Error, Sendable, Equatable {
    /// The bytes are not an HTTP/1.1 request. The reason is fixed text for the log and the answer, never input.
    case badRequest(reason: String)
    case notFound
    /// The path begins with two slashes, which happens when a client's base URL ends with one.
    case doubleSlash
    /// The request names a host that is not this server (RFC 9110 section 15.5.20).
    case misdirected
    /// The received method, and the methods that the path accepts.
    case methodNotAllowed(Method, allow: [Method])
    /// The request did not arrive in time.
    case requestTimeout
    case contentTooLarge
    case uriTooLong
    case headerFieldsTooLarge
    case expectationFailed
    /// An unknown method or transfer coding.
    case notImplemented
    case versionNotSupported
    /// Too many connections, from one address or in total, or more requests than can be answered in time.
    case overloaded
    /// A program error, such as a line end in a response field.
    case internalFault

    package var status: Int {
        switch self {
        case .badRequest: 400
        case .notFound, .doubleSlash: 404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .contentTooLarge: 413
        case .uriTooLong: 414
        case .expectationFailed: 417
        case .misdirected: 421
        case .headerFieldsTooLarge: 431
        case .internalFault: 500
        case .notImplemented: 501
        case .overloaded: 503
        case .versionNotSupported: 505
        }
    }
}
