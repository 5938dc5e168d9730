package import HTTPServer

/// An answer that is not one JSON object: a page, a text, a redirect, or one of several statuses.
///
///     static let reply = ResponseReply<String>([Answer(status: 302, about: "Go on.", headers: ["Location"])]) {
///         Response(status: 302, headers: [("Location", $0)])
///     }
package struct ResponseReply<Value>: ReplyForm {
    private let make: @Sendable (Value) -> Response
    private let makeAnswers: @Sendable () -> [Answer]

    /// - Parameters:
    ///   - answers: for the API description, one for each status.
    ///   - response: makes the response; its status is one of these.
    package init(
        _ answers: @escaping @autoclosure @Sendable () -> [Answer],
        _ response: @escaping @Sendable (Value) -> Response
    ) {
        make = response
        makeAnswers = answers
    }

    package func response(_ value: Value) -> Response { make(value) }

    package func answers(_ call: Call) -> [Answer] { makeAnswers() }
}

extension ResponseReply where Value == Response {
    /// A response that the endpoint itself makes, because it needs the endpoint's state.
    package init(_ answers: @escaping @autoclosure @Sendable () -> [Answer]) {
        self.init(answers()) { $0 }
    }
}
