internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// A call in which another server has its code sent.
protocol HookEndpoint: Endpoint
where
    Caller == Tenant, Answered == Nothing, Replied == HookReply, Failure == HookError, Refusal == HookError,
    Body == CodeOrder
{
    static var scheme: CallerScheme { get }
    static var answers: HookReply.Form { get }
    var relay: CodeRelay { get }
    var gate: HookGate { get }

    func caller(of request: Request) async throws(HookError) -> Tenant
    /// Checks the head before the body arrives.
    func checkHead(_ request: Request) throws(HookError)
}

extension HookEndpoint {
    static var answers: HookReply.Form { .status }
    static var reply: HookReply { HookReply(form: answers) }

    /// Adds the `+` to a number from a server that stores numbers without it.
    static func plus(_ number: String) -> String { number.begins(with: "+") ? number : "+" + number }

    static func render(_ error: HookError) -> Response { reply.refusal(error) }

    /// The endpoint in the API description.
    static var operations: [Operation] {
        let all =
            (exampleDefect.map { [HookError.field($0)] } ?? []) + [
                .unauthorized, .countryClosed, .sendsUsedUp(retryAfterSeconds: 1),
                .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .notSent, .overloaded, .internalFault(""),
            ]
        return operations(
            .hooks, caller: scheme, common: all.filter { render($0).status != 200 }, shape: .hook,
            lost: .absent(.notFound), render: render)
    }

    var routes: [Route] {
        BackendGate(
            checkHead: { request throws(HookError) in try checkHead(request) },
            admit: { request throws(HookError) in try await caller(of: request) },
            render: { error, _ in Self.render(error) }, report: gate.report
        ).routes(self)
    }

    func respond(to order: CodeOrder, of request: Request, from tenant: Tenant) async throws(HookError) -> Nothing {
        guard order.hasMessage else { return Nothing() }
        request.note(try await relay.send(order, for: tenant).correlationID)
        return Nothing()
    }
}

/// An endpoint for callers that send client id and hook secret, by Basic or Bearer.
protocol BasicHookEndpoint: HookEndpoint {}

extension BasicHookEndpoint {
    static var scheme: CallerScheme { .hookSecret }

    func caller(of request: Request) async throws(HookError) -> Tenant { try await gate.caller(bySecretOf: request) }

    func checkHead(_ request: Request) throws(HookError) { _ = try HookGate.credentials(of: request) }
}
