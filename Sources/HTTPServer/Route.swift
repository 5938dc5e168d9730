/// One method on one path pattern, and what answers it.
package final class Route: Sendable {
    package let method: Method
    /// Segments are literal or `{name}`: `/sandbox/sessions/{correlationId}/complete`.
    package let pattern: String
    let onHead: (@Sendable (Request) -> Response?)?
    let respond: @Sendable (Request) async -> Response

    /// - Parameter onHead: may answer from the head alone (401 ...). It is asked, with an empty body, when the client
    /// waits with
    ///   `Expect: 100-continue`, so that a final status that is known already goes out instead of 100 (HTTP-18).
    package init(
        _ method: Method, _ pattern: String, onHead: (@Sendable (Request) -> Response?)? = nil,
        respond: @escaping @Sendable (Request) async -> Response
    ) {
        self.method = method
        self.pattern = pattern
        self.onHead = onHead
        self.respond = respond
    }
}
