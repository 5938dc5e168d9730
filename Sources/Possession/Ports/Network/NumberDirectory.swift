/// Reads the numbers that callers send, and knows what is peculiar about some of them.
package protocol NumberDirectory: Sendable {
    /// - Parameter client: whose call it stands in; `nil`: nobody's in particular.
    func read(_ text: String, for client: ClientID?) throws(NumberRefusal) -> SubmittedNumber

    /// The number that people in the server's region dial as `text` for a call abroad; `nil`: they dial none so.
    func dialledAbroad(_ text: String) -> PhoneNumber?

    /// Whether messages of a tenant may go to `number`.
    func mayMessage(_ number: PhoneNumber, by rules: TenantRules) -> Bool

    /// The country whose limits a message to `number` counts under: its region where the plan names one, else the calling
    /// code. `nil`: it counts under none, and under no block of numbers either.
    func country(of number: PhoneNumber) -> String?

    /// Kind of the line, as the numbering plan has it; `nil`: it does not tell.
    func kind(of number: PhoneNumber) -> NumberKind?

    func traits(of number: PhoneNumber) -> NumberTraits
}

extension NumberDirectory {
    package func read(_ text: String) throws(NumberRefusal) -> SubmittedNumber { try read(text, for: nil) }

    /// Reads a number that a person has typed: also with the prefix that people in the server's region dial for a call abroad.
    package func read(typed text: String, for client: ClientID? = nil) throws(NumberRefusal) -> SubmittedNumber {
        guard let number = dialledAbroad(text) else { return try read(text, for: client) }
        return SubmittedNumber(asSent: text, number: try read(number.e164, for: client).number)
    }

    /// Why no message of a tenant goes to a number that can be read; `nil`: one may.
    package func closure(of number: PhoneNumber, by rules: TenantRules, _ limits: Limits) -> NumberClosure? {
        guard mayMessage(number, by: rules) else { return .country }
        // A number of no plan is one of the sandbox.
        guard let open = rules.limits.lineTypes ?? limits.lineTypes, let kind = kind(of: number), !open.contains(kind)
        else { return nil }
        return .line(reason: "is \(kind.words), to which this client sends no messages")
    }
}

/// Why a text names no number that a call can use.
package enum NumberRefusal: Error, Sendable, Equatable {
    case malformed
    /// It could be a number, but none that this server serves. The reason names no number.
    case notServed(reason: String)
    /// It belongs to a product that the API client does not have.
    case otherProduct(reason: String)
    /// No message goes to numbers of this kind, or of a range that the numbering plan does not know. The reason names no number.
    case refusedKind(reason: String)
}

extension NumberRefusal {
    /// The ways in which the caller of a sandbox gets a number served.
    package static let wayOut = """
        use one of GET /sandbox/users, add one to the sandbox users file, or set sandbox.unknownNumbers to simulate
        """
}

/// Why no message of a tenant goes to a number.
package enum NumberClosure: Sendable, Equatable {
    /// Its country is not open to the tenant.
    case country
    /// The tenant sends nothing to lines of its kind. The reason names no number.
    case line(reason: String)
}

/// Peculiarities of a number. A number of the world has none.
package struct NumberTraits: Sendable, Equatable {
    /// A session of it succeeds at its start.
    package var needsNoClient = false
    /// A prefill run of it has no challenge.
    package var hasNoChallenge = false
    /// Links to it are opened on another phone.
    package var isAnsweredElsewhere = false
    /// Result of its verifications; `nil`: the known data of the person decides.
    package var verification: ScriptedVerification?

    package init() {}
}
