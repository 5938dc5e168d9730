/// The answer to a request. The engine itself sets `Content-Length`, `Date`, `Connection`, `X-Request-Id` and
/// `Transfer-Encoding`; if they are set here, they are dropped.
package struct Response: Sendable {
    /// Writes the content of a response piece by piece. A return completes the response; an error cuts it off.
    package typealias Stream = @Sendable (ResponseWriter) async throws(StreamEnd) -> Void

    package var status: Int
    package var headers: [(name: String, value: String)]
    /// The content in one piece. Setting it replaces a stream.
    package var body: [UInt8] {
        didSet {
            stream = nil
            sharesBody = false
        }
    }
    /// The name or number of the error in the body, for the log: text of the program. `nil`: no error.
    package var error: String?
    /// The reason, if `error` does not say it, for the log: text of the program.
    package var reason: String?
    /// Writes the content of a streamed response; `body` is then empty.
    package private(set) var stream: Stream?

    /// The body is the same array for every answer: it is sent without a copy and counts as no connection's memory.
    package private(set) var sharesBody = false

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response whose content is written while it is sent, such as server-sent events.
    ///
    /// `write` runs in the task of the request, on its loop, after the head; for HEAD it does not run. If it returns,
    /// the response is complete and the connection stays open. If it throws, the response is cut off, so that no client
    /// takes it for complete. When the peer disconnects, the task is cancelled. When the server shuts down, waits end
    /// with `draining`, writes fail, and `write` should return soon.
    ///
    ///     let fields = [(name: "Content-Type", value: "text/event-stream")]
    ///     return .stream(status: 200, headers: fields) { (writer) throws(StreamEnd) in
    ///         while let event = await nextEvent() { try await writer.write(event) }
    ///     }
    ///
    /// Only a handler that runs as a task can return a stream; any other gets 500. Traps on a status that has no
    /// content.
    package static func stream(
        status: Int, headers: [(name: String, value: String)] = [], write: @escaping Stream
    ) -> Response {
        var response = Response(status: status, headers: headers)
        precondition(response.hasContent, "a response with status \(status) has no content to stream")
        response.stream = write
        return response
    }

    /// The same response with a shared body, for large content that never changes.
    package var shared: Response {
        var response = self
        response.sharesBody = body.count >= Response.minSharedBytes
        return response
    }

    /// Bytes. A smaller body is copied: one system call sends it together with its head.
    private static let minSharedBytes = 16 * 1024

    /// RFC 9110 sections 8.6, 15.3.5: 204 has no content and no length; 304 describes content that it does not send.
    var hasContent: Bool { status != 204 && status != 304 }
}
