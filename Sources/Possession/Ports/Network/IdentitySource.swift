/// Why a source could not say who has a number.
package enum IdentityFault: Error, Sendable, Equatable {
    /// The source does not answer, or answers what it must not. `reason` holds nothing of the person.
    case unavailable(reason: String)
}

/// Source that knows the people behind numbers. People belong to the operator of the server: every API client that may ask
/// gets the same answer.
package protocol IdentitySource: Sendable {
    /// The person behind a number; `nil`: nothing is known of it.
    func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person?
}
