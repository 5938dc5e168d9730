/// The body that a route takes, and its reasons to refuse one before it has come (HTTP-18, HTTP-21).
///
/// A request whose body arrives together with its head costs nothing extra: it goes to the handler, which checks it
/// in full. All others are asked about as soon as the head is known, so that nobody without credentials fills memory.
package struct BodyRule: Sendable {
    /// Answers from the head, with an empty body in the request; `nil`: the body may come.
    package typealias Check = @Sendable (Request) -> Response?

    /// Bytes; `nil`: as many as the server takes at all (`Limits.maxBodyBytes`). 0: the body is read past, and the
    /// handler gets none.
    package let maxBytes: Int?
    let refusal: Check?
    let tooLarge: (@Sendable (Request) -> Response)?

    /// - Parameters:
    ///   - refusal: why a request fails whatever its body is: no credential, another content type.
    ///   - tooLarge: answers a body over `maxBytes`; without it the answer is 413.
    package init(
        maxBytes: Int? = nil, refusal: Check? = nil, tooLarge: (@Sendable (Request) -> Response)? = nil
    ) {
        self.maxBytes = maxBytes
        self.refusal = refusal
        self.tooLarge = tooLarge
    }

    /// For calls that have no body. One that comes all the same is read past.
    package static let ignored = BodyRule(maxBytes: 0)

    /// Why the request fails whatever its body is, if that is known from its head.
    package func refusal(ofHead request: Request) -> Response? { refusal?(request) }
}
