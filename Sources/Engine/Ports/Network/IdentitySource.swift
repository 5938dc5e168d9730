package import Possession

/// Why a source could not name the person of a number.
package enum IdentityFault: Error, Sendable, Equatable {
    /// The source does not answer, or its answer is invalid. `reason` has no personal data.
    case unavailable(reason: String)
}

/// Source for the people of numbers. The people belong to the operator of the server: every API client that may ask
/// gets the same answer.
package protocol IdentitySource: Sendable {
    /// The person of a number; `nil`: none is known.
    func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person?
}
