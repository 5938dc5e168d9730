/// The person that an identification names.
package struct FoundPerson: Sendable, Equatable {
    /// Where messages to them go.
    package let target: Target
    /// That they read, as far as it is known.
    package let language: LanguageTag?
    /// The operator's own id of them.
    package let id: String?

    package init(target: Target, language: LanguageTag? = nil, id: String? = nil) {
        self.target = target
        self.language = language
        self.id = id
    }
}

/// Finds people by what they say of themselves.
package protocol PersonFinder: Sendable {
    /// - Parameter client: the API client whose app asks.
    /// - Returns: `nil`: nobody is known by that.
    /// - Throws: `IdentityFault`, within the finder's own bounded time.
    func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson?
}

/// Knows nobody.
package struct NobodyFound: PersonFinder {
    package init() {}

    package func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? { nil }
}
