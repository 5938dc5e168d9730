package import HTTPServer

/// Turns an endpoint's answer into a response, and describes it.
///
/// Most endpoints answer with one JSON object (`Reply`). A page, a text or a redirect is a `ResponseReply`.
package protocol ReplyForm<Value>: Sendable {
    associatedtype Value

    func response(_ value: Value) -> Response
    /// All statuses except errors.
    func answers(_ call: Call) -> [Answer]
}
