internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A hop of a Mobile Auth chain. Nobody is asked who they are.
protocol HopEndpoint: Endpoint
where
    Caller == Nothing, Failure == HopError, Refusal == HopError, Answered == MobileAuthService.Hop,
    Replied == ResponseReply<MobileAuthService.Hop>
{
    var service: MobileAuthService { get }
    /// The session that a call is about, as far as what it reads tells that.
    func session(of body: Body) -> SessionKey?
}

extension HopEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        [operation(.mobileAuth, caller: nil, schema: .anything, errors: common, shape: .hop)]
    }

    /// What every hop may refuse.
    private static var common: [HopError] {
        [
            .otherAddress, .unknown, .gone, .internalFault(""), .overloaded,
            .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)),
        ]
    }
}
