internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/start`: an app's backend starts a Pre-Fill run.
///
///     {"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}
///     ->  200 {"authToken":"eyJ...","correlationId":"0193...","next":{"v3-validate":"/v3/validate"}}
struct StartPrefill: PlatformEndpoint {
    let service: PlatformService

    static let call = Call(
        .post, "/v3/start", id: "startPrefill", "Start a Pre-Fill run",
        "The backend hands authToken to its client, and goes on as next says.",
        body: .json(#"{"flowType":"mobile","phoneNumber":"2001001693","ssn":"6227"}"#),
        demand: .begins, answer: "The run.")
    static let refusals: [PlatformError] = [.numberNotServed, .otherProduct]
    static let body = Shape(PlatformService.SessionOrder(.prefill, flow: .mobile)) {
        PlatformService.SessionOrder.prefillMembers(.phoneNumber)
    }
    static let reply = Reply<PlatformService.StartedSession> {
        ReplyMember.always("authToken", .text, "For the client; good for 15 minutes and one client.") { $0.authToken }
        ReplyMember.always("correlationId", .identifier(), "The run, for the backend alone.") { $0.correlationID }
        PrefillNextStep.member { _ in .validate }
    }

    func respond(
        to order: PlatformService.SessionOrder, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> PlatformService.StartedSession {
        let started = try await service.start(order, for: tenant)
        request.note(started.correlationID)
        return started
    }
}
