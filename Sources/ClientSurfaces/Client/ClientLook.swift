internal import HTTPServer
internal import SurfaceKit

/// A call of a client that reads its session.
protocol ClientLook: Endpoint
where
    Caller == ClientCaller, Failure == ClientError, Refusal == ClientError, Answered == Response,
    Replied == ResponseReply<Response>
{}

extension ClientLook {
    /// The API description of the endpoint.
    static var operation: Operation {
        var described = operation(
            .client, caller: .authToken, schema: .anything, errors: ClientDescription.common, shape: .client)
        described.parameters.append(ClientDescription.correlator)
        return described
    }
}
