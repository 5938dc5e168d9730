/// The body that a route accepts, and its reasons to refuse a request before the body has arrived (HTTP-18, HTTP-21).
///
/// If the body arrives together with the head, the handler checks the request in full. Otherwise the check runs as soon
/// as the head is known, so that a client without credentials cannot fill memory.
package struct BodyRule: Sendable {
    /// Answers from the head, with an empty body in the request; `nil`: the body is accepted.
    package typealias Check = @Sendable (Request) -> Response?

    /// Bytes; `nil`: the server's own limit (`Limits.maxBodyBytes`). 0: the body is discarded and the handler gets
    /// none.
    package let maxBytes: Int?
    let refusal: Check?
    let tooLarge: (@Sendable (Request) -> Response)?

    /// - Parameters:
    ///   - refusal: why a request fails regardless of its body: no credential, another content type.
    ///   - tooLarge: answers a body over `maxBytes`; without it the answer is 413.
    package init(
        maxBytes: Int? = nil, refusal: Check? = nil, tooLarge: (@Sendable (Request) -> Response)? = nil
    ) {
        self.maxBytes = maxBytes
        self.refusal = refusal
        self.tooLarge = tooLarge
    }

    /// For calls that have no body. If one arrives, it is discarded.
    package static let ignored = BodyRule(maxBytes: 0)

    /// Why the request fails regardless of its body, if its head already shows that.
    package func refusal(ofHead request: Request) -> Response? { refusal?(request) }
}
