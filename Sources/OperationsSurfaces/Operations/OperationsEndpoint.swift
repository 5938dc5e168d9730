internal import HTTPServer
internal import SurfaceKit

/// A call of an operator, a gateway or a developer, without credentials.
protocol OperationsEndpoint: Endpoint
where Caller == Nothing, Body == Nothing, Failure == OperationsError, Refusal == OperationsError {
    /// Whether in live mode it is served only on the operators' listener.
    static var isForOperators: Bool { get }
    /// Whether it is answered even on a connection beyond the limit of connections.
    static var isAlwaysAnswered: Bool { get }
    /// Whether it is answered in that way, and also under any host name.
    static var isProbe: Bool { get }
}

extension OperationsEndpoint {
    static var isForOperators: Bool { false }
    static var isAlwaysAnswered: Bool { isProbe }
    static var isProbe: Bool { false }

    /// The API description of the endpoint.
    static var operations: [Operation] {
        var described = operation(.operations, caller: nil, schema: .anything, errors: [])
        described.listeners = isForOperators ? ["operations"] : ["public", "operations"]
        return [described]
    }

    fileprivate func placed(_ route: Route) -> Route {
        Self.isProbe ? route.probe : Self.isAlwaysAnswered ? route.always : route
    }

    var route: Route {
        let form = EndpointForm(Self.self)
        let route = Route(Self.call.method, Self.call.path) { request in
            await OperationsError.answer(request, report: { _ in }) { () async throws(OperationsError) in
                try await answer(request, from: Nothing(), form)
            }
        }
        return placed(route)
    }
}

extension OperationsEndpoint where Self: ImmediateEndpoint {
    /// Answers directly, specialized for the endpoint's own types: reading an empty call and looking up its types cost
    /// a probe a tenth more instructions.
    var route: Route {
        let reply = Self.reply
        let route = Route.immediate(Self.call.method, Self.call.path) { request in
            do throws(OperationsError) {
                return reply.response(try respond(to: Nothing(), of: request, from: Nothing()))
            } catch {
                return error.response
            }
        }
        return placed(route)
    }
}

extension OperationsEndpoint where Self: ImmediateEndpoint, Answered == Response {
    /// The same for an endpoint with a prebuilt response: it avoids a copy, because all loops count the references of
    /// its parts.
    var route: Route {
        let route = Route.immediate(Self.call.method, Self.call.path) { request in
            do throws(OperationsError) { return try respond(to: Nothing(), of: request, from: Nothing()) } catch {
                return error.response
            }
        }
        return placed(route)
    }
}

extension Reply<Nothing> {
    private enum Status: String { case ok }

    /// The answer to probes.
    static let ok = Reply {
        ReplyMember.always("status", .choice([Status.ok]), "Always ok: else an error is answered.") { _ in .ok }
    }
}
