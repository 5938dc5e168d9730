internal import HTTPServer

/// One path or query parameter: its name, the rule for its text, and the place for the value. The reading and the API
/// description both come from it.
///
///     ParameterMember.optionalQuery("limit", .wholeNumber(in: 1...100), "100 unless it is given.") { $0.limit = $1 }
package struct ParameterMember<Body: Sendable, Refusal: SurfaceError>: Sendable {
    let read: @Sendable (Request, inout Body) throws(Refusal) -> Void
    /// The answer to an invalid text; `nil`: the answer names the defect.
    let refusal: Refusal?
    private let makeParameter: @Sendable () -> Parameter
    private let makeExample: @Sendable () -> FieldDefect?

    /// Its API description.
    var described: Parameter { makeParameter() }

    /// An example of a mistake; `nil` if no answer names a defect.
    var exampleDefect: FieldDefect? { makeExample() }

    /// A path segment at the place of `{name}`.
    /// - Parameter refusal: the answer to an invalid text; `nil`: the answer names the defect.
    package static func path<Value>(
        _ name: String, _ input: ParameterInput<Value>, _ about: String = "", orRefuse refusal: Refusal? = nil,
        _ set: @escaping @Sendable (inout Body, Value) -> Void
    ) -> ParameterMember {
        ParameterMember(
            read: { (request, body) throws(Refusal) in
                do throws(FieldDefect) {
                    guard let value = try input.read(request.parameters[name], name) else { throw .missing(name) }
                    set(&body, value)
                } catch {
                    throw refusal ?? Refusal(error)
                }
            }, refusal: refusal, makeParameter: { .path(name, input.schema, about) },
            makeExample: { refusal == nil ? input.exampleDefect(name) : nil })
    }

    /// A required query parameter.
    package static func requiredQuery<Value>(
        _ name: String, _ input: ParameterInput<Value>, _ about: String = "",
        _ set: @escaping @Sendable (inout Body, Value) -> Void
    ) -> ParameterMember {
        query(must(name, input.schema, about), name, example: .missing(name)) { (text, body) throws(FieldDefect) in
            guard let value = try input.read(text, name) else { throw .missing(name) }
            set(&body, value)
        }
    }

    /// A query parameter that may be absent; then nothing is set.
    package static func optionalQuery<Value>(
        _ name: String, _ input: ParameterInput<Value>, _ about: String = "",
        _ set: @escaping @Sendable (inout Body, Value) -> Void
    ) -> ParameterMember {
        query(may(name, input.schema, about), name, example: input.exampleDefect(name)) {
            (text, body) throws(FieldDefect) in
            if let value = try input.read(text, name) { set(&body, value) }
        }
    }

    /// A query parameter that is checked if it is present, and has no effect.
    package static func ignoredQuery<Value>(
        _ name: String, _ input: ParameterInput<Value>, _ about: String = ""
    ) -> ParameterMember {
        optionalQuery(name, input, about) { _, _ in }
    }

    /// A header field, which the endpoint itself reads.
    package static func header(
        _ name: String, _ schema: @escaping @autoclosure @Sendable () -> Schema, _ about: String = ""
    ) -> ParameterMember {
        ParameterMember(
            read: { (_, _) throws(Refusal) in }, refusal: nil, makeParameter: { .header(may(name, schema(), about)) },
            makeExample: { nil })
    }

    /// The same for a value that contains this one.
    package func inside<Outer>(
        _ get: @escaping @Sendable (Outer) -> Body, _ set: @escaping @Sendable (inout Outer, Body) -> Void
    ) -> ParameterMember<Outer, Refusal> {
        ParameterMember<Outer, Refusal>(
            read: { (request, outer) throws(Refusal) in
                var body = get(outer)
                try read(request, &body)
                set(&outer, body)
            }, refusal: refusal, makeParameter: makeParameter, makeExample: makeExample)
    }

    private static func query(
        _ field: @escaping @autoclosure @Sendable () -> Field, _ name: String,
        example: @escaping @autoclosure @Sendable () -> FieldDefect?,
        _ read: @escaping @Sendable (String?, inout Body) throws(FieldDefect) -> Void
    ) -> ParameterMember {
        ParameterMember(
            read: { (request, body) throws(Refusal) in
                do throws(FieldDefect) { try read(request.query(name), &body) } catch { throw Refusal(error) }
            }, refusal: nil, makeParameter: { .query(field()) }, makeExample: example)
    }
}
