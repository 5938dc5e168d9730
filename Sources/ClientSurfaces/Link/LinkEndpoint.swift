internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A page for the holder of an instant link, at `/l/{linkToken}`.
protocol LinkEndpoint: Endpoint
where
    Caller == Nothing, Failure == LinkError, Refusal == LinkError, Answered == Response,
    Replied == ResponseReply<Response>
{}

extension LinkEndpoint {
    static var reply: ResponseReply<Response> { LinkPages.reply }

    /// The API description of the endpoint.
    static var operations: [Operation] {
        var described = operation(
            .link, caller: nil, schema: body.schema(others: true),
            errors: call.body.defects.map { LinkError($0) } + common, shape: .page)
        // The end of a link is also a page, not an error of the call.
        described.errors += LinkPages.endings.map { Response(status: $0) }
        return [described]
    }

    /// Errors that every call may return.
    private static var common: [LinkError] {
        [.rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)), .overloaded, .internalFault("")]
    }
}
