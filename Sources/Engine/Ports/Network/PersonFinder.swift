package import Possession

/// The person found by an identification.
package struct FoundPerson: Sendable, Equatable {
    /// Number or address for messages to them.
    package let target: Target
    /// The language that they read, if known.
    package let language: LanguageTag?
    /// The operator's own id of the person.
    package let id: String?

    package init(target: Target, language: LanguageTag? = nil, id: String? = nil) {
        self.target = target
        self.language = language
        self.id = id
    }
}

/// Finds people by their own identification data.
package protocol PersonFinder: Sendable {
    /// - Parameter client: the API client whose app asks.
    /// - Returns: `nil`: no person is known by it.
    /// - Throws: `IdentityFault`, within the finder's own bounded time.
    func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson?
}

/// Finds no person.
package struct NobodyFound: PersonFinder {
    package init() {}

    package func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? { nil }
}
