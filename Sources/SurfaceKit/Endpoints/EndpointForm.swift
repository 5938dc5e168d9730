package import HTTPServer

/// Reads and answers the calls of one endpoint. A route creates it once.
package struct EndpointForm<E: Endpoint>: Sendable {
    package let reply: E.Replied
    package let body: BodyForm
    package let shape: Shape<E.Body>
    package let parameters: Parameters<E.Body, E.Refusal>
    package let hasParameters: Bool
    /// The body of a call that reads nothing; `nil` for all other calls.
    private let nothing: E.Body?

    package init(_ endpoint: E.Type) {
        reply = E.reply
        body = E.call.body
        shape = E.body
        parameters = E.parameters
        hasParameters = !parameters.isEmpty
        nothing = body.presence == .none && shape.isEmpty && parameters.isEmpty ? shape.parts.empty : nil
    }

    /// Reads the members of the body, and the parameters.
    package func read(_ request: Request) throws(E.Refusal) -> E.Body {
        if let nothing { return nothing }
        let fields: FieldReader
        do throws(BodyDefect) { fields = try body.reader(of: request, known: shape.names) } catch {
            throw E.Refusal(error)
        }
        var read: E.Body
        do throws(FieldDefect) { read = try shape.read(fields) } catch { throw E.Refusal(error) }
        if hasParameters { try parameters.read(request, into: &read) }
        return read
    }
}
