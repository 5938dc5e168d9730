/// Reads the numbers callers send: sandbox users first, by their digits, then the numbering plan (contract section 8).
package struct NumberDirectory: Sendable {
    /// What a sandbox does with a number that no user has.
    package enum UnknownNumbers: String, Sendable { case refuse, simulate }
    package enum Refusal: Error, Sendable, Equatable {
        case malformed
        case notASandboxUser
        /// A sandbox user of a product that the API client does not have.
        case otherProduct
        /// No message goes to numbers of this kind; the reason names no number.
        case refusedKind(reason: String)
    }

    package enum Source: Sendable {
        case live
        case sandbox(SandboxUsers, unknown: UnknownNumbers)
    }

    let source: Source
    private let products: [ClientID: Set<SandboxProduct>]
    /// The numbering plan: a number in national form of the default region, or international with `+`; `nil` when no
    /// such number can exist (API-16).
    let plan: @Sendable (String) -> PlannedNumber?
    /// Whether numbers that cost more than a message, or that nobody holds as a phone, are refused (ABU-06): in live, and
    /// in a sandbox that enforces limits. Sandbox users always pass.
    let refusesKinds: Bool

    /// - Parameter products: of the API clients that do not have all of them.
    package init(
        source: Source, products: [ClientID: Set<SandboxProduct>] = [:], refusesKinds: Bool = false,
        plan: @escaping @Sendable (String) -> PlannedNumber?
    ) {
        self.refusesKinds = refusesKinds
        self.source = source
        self.products = products
        self.plan = plan
    }

    /// - Parameter client: whose call it stands in; without one every sandbox user is known.
    package func read(_ text: String, for client: ClientID? = nil) throws(Refusal) -> SubmittedNumber {
        guard let digits = Self.digits(of: text) else { throw .malformed }
        if case .sandbox(let users, let unknown) = source {
            if let user = users.user(sentAs: digits) {
                let allowed = client.flatMap { products[$0] }
                guard allowed?.contains(user.product) ?? true else { throw .otherProduct }
                return SubmittedNumber(asSent: text, number: user.number)
            }
            guard unknown == .simulate else { throw .notASandboxUser }
        }
        guard let planned = plan(digits) else { throw .malformed }
        if refusesKinds, let reason = planned.refusal { throw .refusedKind(reason: reason) }
        return SubmittedNumber(asSent: text, number: planned.number)
    }

    /// Whether messages of a tenant may go to `number`. In live countries are closed until the tenant's rules open them
    /// (contract section 9); in sandbox they are open until the rules name some.
    package func mayMessage(_ number: PhoneNumber, by rules: TenantRules) -> Bool {
        guard !rules.callingCodes.isEmpty else { return isSandbox }
        return rules.opens(number) || rules.opensRegions && rules.opens(region: plan(number.e164)?.region)
    }

    /// The country that a message to `number` goes to: its region where the plan names one, else the calling code.
    func country(of number: PhoneNumber) -> String {
        plan(number.e164)?.region ?? number.callingCode
    }

    /// Whether numbers and networks are played.
    package var isSandbox: Bool {
        if case .sandbox = source { true } else { false }
    }

    package func sandboxUser(_ number: PhoneNumber) -> SandboxUser? {
        guard case .sandbox(let users, _) = source else { return nil }
        return users.user(number)
    }

    /// The code to compare: where a sandbox user has several that pass, each of them stands for the one that was shown.
    func awaited(_ submitted: OTP, of number: PhoneNumber, length: Int) -> OTP {
        guard submitted.text.utf8.count == length, let user = sandboxUser(number), user.passes(submitted) else {
            return submitted
        }
        return user.shownCode(length: length)
    }

    /// The longest text that is read as a number: 15 digits and a separator beside each, in bytes.
    package static let maxTextBytes = 32

    /// The digits of a number as people type it, behind `+` if that stands before all of them (contract section 9).
    ///
    /// Blanks, dots, hyphens and round brackets are left out, so that all spellings of a number are one number. `nil`
    /// unless 4 to 15 ASCII digits remain: no letters, no extensions, no digits of other scripts.
    package static func digits(of text: String) -> String? {
        guard text.utf8.count <= maxTextBytes else { return nil }
        var plain: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"): continue
            case UInt8(ascii: "+") where plain.isEmpty: plain.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): plain.append(byte)
            default: return nil
            }
        }
        let count = plain.first == UInt8(ascii: "+") ? plain.count - 1 : plain.count
        return (4...15).contains(count) ? String(decoding: plain, as: UTF8.self) : nil
    }
}
