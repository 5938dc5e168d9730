/// The answer to a request. `Content-Length`, `Date`, `Connection`, `X-Request-Id` and `Transfer-Encoding` are the
/// engine's own: given here they are left out.
package struct Response: Sendable {
    /// Writes the content of a response piece by piece. What it returns from is complete, what it throws from is not.
    package typealias Stream = @Sendable (ResponseWriter) async throws(StreamEnd) -> Void

    package var status: Int
    package var headers: [(name: String, value: String)]
    /// The content in one piece. One that is set takes the place of a stream.
    package var body: [UInt8] {
        didSet {
            stream = nil
            sharesBody = false
        }
    }
    /// The name or number of the error that the body tells, for the log: text of the program. `nil`: it tells none.
    package var error: String?
    /// Why, where `error` leaves it open, for the log: text of the program.
    package var reason: String?
    /// Writes the content of a response that comes in pieces; `body` is empty then.
    package private(set) var stream: Stream?

    /// The body is the same array for every answer: it is sent from where it lies, and takes no memory of a connection.
    package private(set) var sharesBody = false

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response whose content is written while it is sent, such as server-sent events.
    ///
    /// `write` runs in the task of the request, on its loop, once the head is on its way; for HEAD it does not run.
    /// Its return ends the response properly, and the connection goes on. Its error cuts the response off, so that no
    /// client takes it for complete. When the peer is gone the task is cancelled; when the server is about to end,
    /// waits end with `draining` and writes fail, and `write` should return soon.
    ///
    ///     let fields = [(name: "Content-Type", value: "text/event-stream")]
    ///     return .stream(status: 200, headers: fields) { (writer) throws(StreamEnd) in
    ///         while let event = await nextEvent() { try await writer.write(event) }
    ///     }
    ///
    /// Only what the task of a route returns can be a stream; elsewhere it is answered with 500. Traps on a status
    /// without content.
    package static func stream(
        status: Int, headers: [(name: String, value: String)] = [], write: @escaping Stream
    ) -> Response {
        var response = Response(status: status, headers: headers)
        precondition(response.hasContent, "a response with status \(status) has no content to stream")
        response.stream = write
        return response
    }

    /// The same response for many requests, whose body is large and never changes.
    package var shared: Response {
        var response = self
        response.sharesBody = body.count >= Response.minSharedBytes
        return response
    }

    /// In bytes. A smaller body is copied: one system call sends it together with its head.
    private static let minSharedBytes = 16 * 1024

    /// RFC 9110 sections 8.6, 15.3.5: no content and no length with 204; 304 describes what it does not send.
    var hasContent: Bool { status != 204 && status != 304 }
}
