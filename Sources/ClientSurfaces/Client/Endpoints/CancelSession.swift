internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/cancel`: the client cancels. A finished session stays unchanged.
///
///     {"reason":"user"}  ->  200, the state
struct CancelSession: ClientEndpoint {
    let calls: ClientCalls

    static let call = Call(
        .post, ClientDescription.path + "/cancel", id: "cancelSession", "Give up", "A finished session stays as it is.",
        body: .optionalJSON(#"{"reason":"user"}"#, upTo: .short), answer: "The state after the call.")
    static let body = Shape(Nothing()) {
        Member.ignored(
            "reason", Input.text(.freeText(128)).described(as: .text(most: 128)),
            "The reason, in the client's own words. Has no effect.")
    }

    func respond(
        to body: Nothing, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        try await calls.perform(call) { (commands) throws(EngineFault) in commands.cancel() }
    }
}
