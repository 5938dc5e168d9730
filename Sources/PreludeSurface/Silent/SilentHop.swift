internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A hop that a phone follows over its cellular connection. Nobody is asked who they are.
protocol SilentHop: Endpoint
where Caller == Nothing, Failure == PreludeError, Refusal == PreludeError, Replied == ResponseReply<Answered> {
    var service: MobileAuthService { get }
    /// The session that a call is about, as far as what it reads tells that.
    func session(of body: Body) -> SessionKey?
}

extension SilentHop {
    static var operations: [Operation] {
        [
            operation(
                .preludePhone, caller: nil, schema: .anything,
                errors: [
                    .overloaded, .internalFault(""), .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)),
                ], shape: .prelude)
        ]
    }
}

extension PreludeSurface {
    func routes<E: SilentHop>(_ hop: E) -> [Route] {
        let form = EndpointForm(E.self)
        return [
            Route(E.call.method, E.call.path, demand: E.call.demand) { [engine, callers] request in
                await PreludeError.answer(
                    request, report: engine.report, render: { $0.response(requestID: request.id) }
                ) { () async throws(PreludeError) in
                    let order = try form.read(request)
                    do throws(LimitHit) {
                        try callers?.admit(request)
                        try await callers?.admit(hop.session(of: order), in: hop.service.fence)
                    } catch { throw .rateLimited(error) }
                    return form.reply.response(try await hop.respond(to: order, of: request, from: Nothing()))
                }
            },
            Route.immediate(.head, E.call.path, respond: { _ in SilentAnswer.notForHead }),
        ]
    }
}

/// How a chain goes on, and how it ends.
enum SilentAnswer {
    /// Why there is no code, as the SDK on an Android phone reads it.
    enum Reason: String, CaseIterable, Sendable {
        /// The connection is of another number.
        case mismatch
        /// The operator does not say, or there is none.
        case unavailable
        /// The chain is over, or was begun again.
        case gone
    }

    static func moved(to url: String) -> Response {
        Response(status: 302, headers: [("Location", url), ("Referrer-Policy", "no-referrer")])
    }

    static func code(_ code: String) -> Response { json(["code": .string(code)]) }

    static func failed(_ reason: Reason) -> Response {
        json(["status": "failed", "reason": .string(reason.rawValue)])
    }

    /// 200 in either case: the SDK reads the reason of nothing else.
    private static func json(_ object: JSONObject) -> Response {
        var response = Response.json(200, object)
        response.add("Referrer-Policy", "no-referrer")
        return response
    }

    static let ends = Answer(
        status: 200, about: "The code, or why there is none.",
        content: .json(
            .any(of: [
                .record([must("code", .text(), "For the check.")]),
                .record([must("status", .choice(["failed"])), must("reason", .choice(Reason.self))]),
            ])))

    /// A hop is used up by following it; whoever only asks for a head must not do that.
    static var notForHead: Response {
        var response = failureResponse(.methodNotAllowed(allow: []))
        response.add("Allow", "GET")
        return response
    }
}
