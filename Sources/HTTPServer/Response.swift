/// What goes back. `Content-Length`, `Date`, `Connection`, `X-Request-Id` and `Transfer-Encoding` are the engine's
/// own: given here they are left out.
package struct Response: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
