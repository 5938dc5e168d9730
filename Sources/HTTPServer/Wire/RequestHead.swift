/// A request line and header section whose meaning was checked: all that a connection needs before the body.
///
/// A class, so that passing it from parser to connection copies nothing.
final class RequestHead {
    enum Expectation: Equatable {
        case none
        /// The client waits for `100 Continue`.
        case proceed
        case unknown
    }

    let method: Method
    let target: RequestTarget
    let headers: Headers
    let framing: BodyFraming
    let expectation: Expectation
    /// The client wants the connection to stay open.
    let keepsAlive: Bool
    let isHTTP10: Bool
    /// The checked authority in lower case.
    let host: String?
    /// The caller's request ID, if it is acceptable.
    let requestID: String?
    let byteCount: Int

    /// - Throws: `.badRequest`, `.notImplemented` (transfer coding), `.contentTooLarge` (a length too large for any
    ///   integer). The connection must end after each, because the framing is uncertain.
    init(_ scanner: borrowing HeadScanner) throws(HTTPFailure) {
        let bytes = scanner.bytes
        let isHTTP10 = scanner.minorVersion == 0
        let fields = try FramingFields(scanner.fields, in: bytes)

        method = Method(bytes[scanner.method])
        target = try RequestTarget(bytes[scanner.target], method: method)
        framing = try fields.framing(in: bytes, isHTTP10: isHTTP10)
        keepsAlive = !fields.hasClose && (!isHTTP10 || fields.hasKeepAlive)
        // RFC 9110 section 10.1.1: an expectation in HTTP/1.0 is ignored.
        expectation = isHTTP10 ? .none : fields.expectation
        host = try fields.checkedHost(in: bytes, isHTTP10: isHTTP10, overriddenBy: target.authority)
        requestID = fields.requestID
        headers = Headers(bytes: bytes, fields: scanner.fields)
        self.isHTTP10 = isHTTP10
        byteCount = bytes.count
    }
}
