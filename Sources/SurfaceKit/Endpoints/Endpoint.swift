package import HTTPServer

/// One call of a surface, declared once: how it is called, what it reads, what it answers. Its route and its part of the
/// API description both come from the declaration.
///
///     struct RevokeDevice: PlatformEndpoint {
///         static let call = Call(.post, "/v3/device/revoke", id: "revokeDevice", "Revoke a device key", "...",
///             body: .json(#"{"deviceId":"019b..."}"#))
///         static let body = Shape(DeviceID.none) { Member.required("deviceId", .identifier(DeviceID.self)) { $0 = $1 } }
///         static let reply = Reply<Nothing> { ReplyMember.always("success", .flag) { _ in true } }
///         static let refusals: [PlatformError] = [.notFound(what: "device")]
///
///         func respond(to id: DeviceID, of request: Request, from tenant: Tenant) async throws(PlatformRefusal) -> Nothing
///     }
package protocol Endpoint: Sendable {
    /// The caller, as the surface knows them.
    associatedtype Caller
    associatedtype Body: Sendable
    associatedtype Answered
    /// The form of an answer: for most, `Reply`.
    associatedtype Replied: ReplyForm where Replied.Value == Answered
    associatedtype Failure: Error
    /// The error shape of the surface.
    associatedtype Refusal: SurfaceError

    static var call: Call { get }
    static var body: Shape<Body> { get }
    /// Written into the same value as the body's members, after these.
    static var parameters: Parameters<Body, Refusal> { get }
    static var reply: Replied { get }
    /// Refusals of this call, beyond those of every call of the surface, and beyond those that its parameters name.
    static var refusals: [Refusal] { get }

    func respond(
        to body: Body, of request: Request, from caller: Caller
    ) async throws(Failure) -> Answered
}

extension Endpoint where Body == Nothing {
    package static var body: Shape<Nothing> { .nothing }
}

extension Endpoint {
    package static var refusals: [Refusal] { [] }
    package static var parameters: Parameters<Body, Refusal> { .none }

    /// The endpoint in the API description, once for each path.
    /// - Parameters:
    ///   - common: what every call of the surface may refuse.
    ///   - shape: of an error's body.
    ///   - others: whether the body may have further members, which the server does not read.
    ///   - lost: the answer of the surface's area to a path that no route takes; `nil`: it has no area.
    ///   - render: how an error is answered.
    package static func operations(
        _ surface: SurfaceName, caller: CallerScheme?, common: [Refusal], shape: ErrorShape = .coded,
        others: Bool = true, lost: Refusal? = nil, render: (Refusal) -> Response = { $0.response }
    ) -> [Operation] {
        let ofBody = call.body.defects.map { Refusal($0) }
        // A parameter may make the path one that no route takes.
        let ofPath = call.paths.contains { $0.utf8.contains(UInt8(ascii: "{")) } ? [lost].compactMap(\.self) : []
        var first = operation(
            surface, caller: caller, schema: body.schema(others: others), errors: common + ofBody + ofPath,
            shape: shape, render: render)
        first.isInArea = lost != nil
        return [first] + call.aliases.enumerated().map { first.at($1, place: $0) }
    }

    /// The endpoint in the API description, under its first path.
    /// - Parameters:
    ///   - schema: of the body.
    ///   - errors: what it may refuse beside `refusals`.
    ///   - shape: of an error's body.
    package static func operation(
        _ surface: SurfaceName, caller: CallerScheme?, schema: Schema, errors: [Refusal], shape: ErrorShape = .coded,
        render: (Refusal) -> Response = { $0.response }
    ) -> Operation {
        call.operation(
            surface, caller: caller, parameters: parameters.described, schema: schema, answers: reply.answers(call),
            errors: (refusals + parameters.refusals + errors).map(render), shape: shape)
    }

    /// A mistake in the body or else in a parameter, as an example; `nil` for a call that reads nothing.
    package static var exampleDefect: FieldDefect? {
        let fields = body.fields
        if let needed = fields.first(where: \.isRequired) { return .missing(needed.name) }
        if let first = fields.first { return FieldDefect(first.name, "must be a string") }
        return parameters.exampleDefect
    }
}

extension Endpoint where Failure == Refusal {
    /// The response to one call of somebody who may call.
    package func answer(
        _ request: Request, from caller: Caller, _ form: EndpointForm<Self>
    ) async throws(Refusal) -> Response {
        form.reply.response(try await respond(to: try form.read(request), of: request, from: caller))
    }
}

extension Operation {
    /// - Parameter place: of the alias among those of the call, from 0.
    fileprivate func at(_ alias: Call.Alias, place: Int) -> Operation {
        var other = self
        other.id = id + "Alias" + (place == 0 ? "" : String(place + 1))
        other.path = alias.path
        other.summary = "\(summary) (\(alias.path))"
        other.detail = alias.detail + detail
        other.original = id
        return other
    }
}
