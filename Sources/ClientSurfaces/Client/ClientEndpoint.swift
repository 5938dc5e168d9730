internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of a client that changes its session. The body may have only the declared members and `requestId`.
protocol ClientEndpoint: Endpoint
where
    Caller == RepeatableCall, Failure == ClientError, Refusal == ClientError, Answered: ClientAnswer,
    Replied == Reply<Answered>
{
    /// Checks a member whose form only the server knows, before the others are read.
    func check(_ fields: FieldReader) throws(FieldDefect)

    /// Whether `Accept-Language` has an effect.
    static var readsLanguages: Bool { get }
}

extension ClientEndpoint {
    func check(_ fields: FieldReader) throws(FieldDefect) {}
    static var readsLanguages: Bool { false }

    /// The API description of the endpoint.
    static var operation: Operation {
        var described = operation(
            .client, caller: .authToken, schema: body.and(requestID).schema(others: false),
            errors: ClientDescription.common + changing, shape: .client)
        described.parameters.append(ClientDescription.correlator)
        if readsLanguages { described.parameters.append(ClientDescription.languages) }
        return described
    }

    /// Read for every call, in `ClientCalls`.
    private static var requestID: Member<Body> {
        .ignored(
            "requestId", Input<String>.anyText.described(as: .text(least: 1, most: 36)),
            "A retry with the same one gets the same answer.")
    }

    /// Further errors of a call that changes the session.
    private static var changing: [ClientError] {
        [
            .unsupportedMediaType("the Content-Type must be application/json"),
            .bodyTooLarge(BodyDefect.tooLarge(.short).message), .notAdmitted(.retryKeyReused), .refused(.sessionDone),
        ]
    }
}

/// The caller, and the retry key of the call.
struct RepeatableCall: Sendable {
    let caller: ClientCaller
    let retry: RetryKey?
}

/// The result of an operation on a session, and further values for its answer besides the state.
protocol ClientAnswer: Sendable {
    var reply: OperationReply { get }
}

extension OperationReply: ClientAnswer {
    var reply: OperationReply { self }
}

extension ClientEndpoint where Answered == OperationReply {
    static var reply: Reply<OperationReply> { StateDocument.reply }
}
