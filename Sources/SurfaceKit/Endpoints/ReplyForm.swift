package import HTTPServer

/// How what an endpoint answers becomes a response, and how the API description has it.
///
/// Most endpoints answer the members of one JSON object (`Reply`). A page, a text or a redirect is a `ResponseReply`.
package protocol ReplyForm<Value>: Sendable {
    associatedtype Value

    func response(_ value: Value) -> Response
    /// Every status that is no error.
    func answers(_ call: Call) -> [Answer]
}
