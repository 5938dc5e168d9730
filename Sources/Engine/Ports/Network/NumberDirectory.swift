package import Possession

/// Reads numbers in calls, and knows the special traits of some numbers.
package protocol NumberDirectory: Sendable {
    /// - Parameter client: the API client of the call; `nil`: any.
    func read(_ text: String, for client: ClientID?) throws(NumberRefusal) -> SubmittedNumber

    /// The number that people in the server's region dial as `text` for a call abroad; `nil`: it is not dialled like
    /// that.
    func dialledAbroad(_ text: String) -> PhoneNumber?

    /// Whether messages of a tenant may go to `number`.
    func mayMessage(_ number: PhoneNumber, by rules: TenantRules) -> Bool

    /// The country whose limits count a message to `number`: its region if the numbering plan names one, else the
    /// calling code. `nil`: neither country nor prefix limits count it.
    func country(of number: PhoneNumber) -> String?

    /// Kind of the line in the numbering plan; `nil`: unknown.
    func kind(of number: PhoneNumber) -> NumberKind?

    func traits(of number: PhoneNumber) -> NumberTraits
}

extension NumberDirectory {
    package func read(_ text: String) throws(NumberRefusal) -> SubmittedNumber { try read(text, for: nil) }

    /// Reads a number that a person has typed, which may begin with the prefix that people in the server's region dial
    /// for a call abroad.
    package func read(typed text: String, for client: ClientID? = nil) throws(NumberRefusal) -> SubmittedNumber {
        guard let number = dialledAbroad(text) else { return try read(text, for: client) }
        return SubmittedNumber(asSent: text, number: try read(number.e164, for: client).number)
    }

    /// Why a tenant may not send messages to a readable number; `nil`: it may.
    package func sendBlock(of number: PhoneNumber, by rules: TenantRules, _ limits: Limits) -> SendBlock? {
        guard mayMessage(number, by: rules) else { return .country }
        // A number without a numbering plan is a sandbox number.
        guard let open = rules.limits.lineTypes ?? limits.lineTypes, let kind = kind(of: number), !open.contains(kind)
        else { return nil }
        return .line(reason: "is \(kind.words), to which this client sends no messages")
    }
}

/// Why a text is not a number that a call can use.
package enum NumberRefusal: Error, Sendable, Equatable {
    case malformed
    /// This server does not serve the number. The reason does not contain it.
    case notServed(reason: String)
    /// It belongs to a product that the API client may not use.
    case otherProduct(reason: String)
    /// Numbers of this kind, or of a range that the numbering plan does not know, get no messages. The reason does not
    /// contain the number.
    case refusedKind(reason: String)
}

extension NumberRefusal {
    /// How the caller of a sandbox can get a number served.
    package static let wayOut = """
        use one of GET /sandbox/users, add one to the sandbox users file, or set sandbox.unknownNumbers to simulate
        """
}

/// Why a tenant may not send messages to a number.
package enum SendBlock: Sendable, Equatable {
    /// Its country is not open to the tenant.
    case country
    /// The tenant may not send to lines of this kind. The reason does not contain the number.
    case line(reason: String)
}

/// Special traits of a sandbox number. A real number has none.
package struct NumberTraits: Sendable, Equatable {
    /// A session for it succeeds at its start.
    package var needsNoClient = false
    /// A prefill session for it has no challenge.
    package var hasNoChallenge = false
    /// Links to it are opened on another phone.
    package var isAnsweredElsewhere = false
    /// Result of its verifications; `nil`: the known data of the person decides.
    package var verification: ScriptedVerification?

    package init() {}
}
