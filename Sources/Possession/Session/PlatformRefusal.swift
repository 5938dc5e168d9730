/// Why a call of an app's backend was not carried out (contract sections 2 and 8).
package enum PlatformRefusal: Error, Sendable, Equatable {
    /// 8001: `field` breaks `reason`; the value is never repeated.
    case invalidField(String, reason: String)
    /// 8002.
    case unauthorized
    /// 8003.
    case stepNotAllowed
    /// 8007: this server does not serve the number.
    case numberNotServed
    /// 8008: the id is malformed, unknown, another tenant's, of another product, or no longer readable.
    case unknownCorrelationID
    /// 8008: the tenant's own session is over, and its result can no longer be read.
    case endedSession
    /// The same of an auth ID.
    case endedAuthSession
    /// The flow of a browser or phone has expired: for whoever holds its flow token.
    case endedFlow
    /// The same of an auth ID, by which `/v1/server/auth` names a session.
    case unknownAuthID
    /// 8009: the number is of a product that the API client does not have.
    case otherProduct
    /// 8010: `what` was not found.
    case notFound(what: String)
    case rateLimited(LimitHit)
    /// Too many failures in a row for the number: no wait helps, only an operator.
    case numberStopped
    /// Nobody can say just now who is behind the number; a later try may pass.
    case sourceUnavailable
    /// The store takes no more work just now.
    case overloaded
    /// Ours: logged, and shown as the bare 500.
    case internalFault(String)
}

extension PlatformRefusal {
    /// The faults of the layers below, which no caller can cause.
    init(fault: any Error) {
        self = (fault as? PlatformRefusal) ?? PlatformRefusal(EngineFault(fault))
    }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }
}
