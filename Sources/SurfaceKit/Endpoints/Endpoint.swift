package import HTTPServer

/// One call of a surface, declared once: path, parameters, body, and answer. Its route and its API description both
/// come from this declaration.
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
    /// The type of the caller in this surface.
    associatedtype Caller
    associatedtype Body: Sendable
    associatedtype Answered
    /// The form of an answer; usually `Reply`.
    associatedtype Replied: ReplyForm where Replied.Value == Answered
    associatedtype Failure: Error
    /// The error shape of the surface.
    associatedtype Refusal: SurfaceError

    static var call: Call { get }
    static var body: Shape<Body> { get }
    /// Written into the same value as the members of the body, after these.
    static var parameters: Parameters<Body, Refusal> { get }
    static var reply: Replied { get }
    /// Refusals of this call, in addition to those of every call of the surface and those of its parameters.
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

    /// The API description of the endpoint, one operation for each path.
    /// - Parameters:
    ///   - common: refusals that every call of the surface may give.
    ///   - shape: of an error's body.
    ///   - others: whether the body may have further members, which are ignored.
    ///   - lost: the answer of the surface's area to a path that matches no route; `nil`: it has no area.
    ///   - render: makes the response to an error.
    package static func operations(
        _ surface: SurfaceName, caller: CallerScheme?, common: [Refusal], shape: ErrorShape = .coded,
        others: Bool = true, lost: Refusal? = nil, render: (Refusal) -> Response = { $0.response }
    ) -> [Operation] {
        let ofBody = call.body.defects.map { Refusal($0) }
        // A parameter may turn the path into one that matches no route.
        let ofPath = call.paths.contains { $0.utf8.contains(UInt8(ascii: "{")) } ? [lost].compactMap(\.self) : []
        var first = operation(
            surface, caller: caller, schema: body.schema(others: others), errors: common + ofBody + ofPath,
            shape: shape, render: render)
        first.isInArea = lost != nil
        return [first] + call.aliases.enumerated().map { first.at($1, place: $0) }
    }

    /// The API description of the endpoint, under its first path.
    /// - Parameters:
    ///   - schema: of the body.
    ///   - errors: refusals in addition to `refusals`.
    ///   - shape: of an error's body.
    package static func operation(
        _ surface: SurfaceName, caller: CallerScheme?, schema: Schema, errors: [Refusal], shape: ErrorShape = .coded,
        render: (Refusal) -> Response = { $0.response }
    ) -> Operation {
        call.operation(
            surface, caller: caller, parameters: parameters.described, schema: schema, answers: reply.answers(call),
            errors: (refusals + parameters.refusals + errors).map(render), shape: shape)
    }

    /// An example of a mistake in the body, or otherwise in a parameter; `nil` for a call that reads nothing.
    package static var exampleDefect: FieldDefect? {
        let fields = body.fields
        if let needed = fields.first(where: \.isRequired) { return .missing(needed.name) }
        if let first = fields.first { return FieldDefect(first.name, "must be a string") }
        return parameters.exampleDefect
    }
}

extension Endpoint where Failure == Refusal {
    /// The response to one call of an authenticated caller.
    package func answer(
        _ request: Request, from caller: Caller, _ form: EndpointForm<Self>
    ) async throws(Refusal) -> Response {
        form.reply.response(try await respond(to: try form.read(request), of: request, from: caller))
    }
}

extension Operation {
    /// - Parameter place: index of the alias in the call, from 0.
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
