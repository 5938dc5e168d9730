/// Why a call of an app's backend was refused (contract section 8).
package enum PlatformRefusal: Error, Sendable, Equatable {
    /// A field of a call. The surface knows the field's name on the wire.
    package enum Field: Sendable, Equatable {
        case phoneNumber, person, finalTarget, callback, reputation, domain, scopes, attributes, statementAudience
        /// Any field that sets the length of a code: a length, a text with a placeholder for the code, or the backend's
        /// own code.
        case codeLength
        /// A field that only the surface reads, with its wire name.
        case named(String)
    }

    /// A step that must come first.
    package enum Step: Sendable, Equatable, CaseIterable { case validate, challenge, complete }

    /// The field's value is refused for `reason`. The value is never repeated.
    case invalidField(Field, reason: String)
    /// The call has no number and nothing that leads to one. If `orPerson`, a person's ID would also do.
    case numberNeeded(orPerson: Bool)
    /// Neither a birth date nor an SSN was given.
    case claimMissing
    /// No credentials, or wrong ones.
    case unauthorized
    /// The session is not at this step.
    case stepNotAllowed
    /// The step comes too early; `first` must come before it.
    case stepTooEarly(first: Step)
    /// The webhook endpoint already signs with two pairs of keys until this time.
    case oldKeysSign(until: Timestamp)
    /// This server does not serve the number.
    case numberNotServed
    /// The ID is malformed or unknown, belongs to another tenant or product, or is no longer readable.
    case unknownSession
    /// The tenant's own session has ended, and its result can no longer be read.
    case endedSession
    /// The flow of a browser or phone has expired. Only the holder of its flow token gets this answer.
    case endedFlow
    /// The number belongs to a product that the API client may not use.
    case otherProduct
    /// `what` was not found.
    case notFound(what: String)
    case rateLimited(LimitHit)
    /// The number has too many failures in a row. Waiting does not help: an operator must unlock it.
    case numberStopped
    /// The source of personal data is unavailable. A later try may pass.
    case sourceUnavailable
    /// The store accepts no more work now.
    case overloaded
    /// Our fault: logged, and shown as the bare 500.
    case internalFault(String)
}
