internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// A hop of a Mobile Auth chain.
protocol HopEndpoint: PhoneHop
where Refusal == HopError, Answered == MobileAuthService.Hop, Replied == ResponseReply<MobileAuthService.Hop> {}

extension HopEndpoint {
    /// The API description of the endpoint.
    static var operations: [Operation] {
        [operation(.mobileAuth, caller: nil, schema: .anything, errors: common, shape: .hop)]
    }

    /// Errors that every hop may return.
    private static var common: [HopError] {
        [
            .otherAddress, .unknown, .gone, .internalFault(""), .overloaded,
            .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)),
        ]
    }
}
