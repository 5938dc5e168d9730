internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/otp/resend` and `.../link/resend`: sends a new code or link to the same number; the old one
/// becomes invalid.
///
///     {"requestId":"r-2"}  ->  200, the state
struct SendAgain<Message: SentMessage>: ClientEndpoint {
    let calls: ClientCalls

    static var call: Call {
        Call(
            .post, "\(ClientDescription.path)/\(Message.path)/resend", id: "resend\(Message.idPart)",
            "Send another \(Message.word)", "To the same number; the older \(Message.word) is void.",
            body: .optionalJSON(#"{"requestId":"r-2"}"#, upTo: .short), demand: .begins,
            answer: "The state after the call.")
    }
    static var refusals: [ClientError] { ClientError.ofSending }
    static var readsLanguages: Bool { true }

    func respond(
        to body: Nothing, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        try await calls.send(Message.kind, .again, request, call)
    }
}
