/// Why a call of an app's backend was not carried out (contract section 8).
package enum PlatformRefusal: Error, Sendable, Equatable {
    /// Content of a field of a call. The surface knows the field's name.
    package enum Field: Sendable, Equatable {
        case phoneNumber, person, finalTarget, callback, reputation, domain, scopes, attributes, statementAudience
        /// Any field that says how long a code is: a length, a text with a place for the code, or a code of the backend's own.
        case codeLength
        /// A field that only the surface reads, by its name there.
        case named(String)
    }

    /// A step that another one waits for.
    package enum Step: Sendable, Equatable, CaseIterable { case validate, challenge, complete }

    /// A field breaks `reason`; the value is never repeated.
    case invalidField(Field, reason: String)
    /// No number was sent, and nothing else that leads to one. A person's ID would have, where `orPerson`.
    case numberNeeded(orPerson: Bool)
    /// Neither a birth date nor an SSN was given.
    case claimMissing
    /// Without credentials, or with bad ones.
    case unauthorized
    /// Not at this point of the session.
    case stepNotAllowed
    /// The same of a step that comes too early, where it is known which one comes first.
    case stepTooEarly(first: Step)
    /// A webhook endpoint has two pairs of keys that sign, until then.
    case oldKeysSign(until: Timestamp)
    /// This server does not serve the number.
    case numberNotServed
    /// The ID is malformed, unknown, another tenant's, of another product, or no longer readable.
    case unknownSession
    /// The tenant's own session is over, and its result can no longer be read.
    case endedSession
    /// The flow of a browser or phone has expired: for whoever holds its flow token.
    case endedFlow
    /// The number is of a product that the API client does not have.
    case otherProduct
    /// `what` was not found.
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
        switch fault {
        case let refusal as PlatformRefusal: self = refusal
        default: self.init(EngineFault(fault))
        }
    }

    init(_ fault: EngineFault) {
        switch fault {
        case .overloaded: self = .overloaded
        case .failed(let reason): self = .internalFault(reason)
        }
    }
}
