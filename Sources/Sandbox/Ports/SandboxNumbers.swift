package import Engine
package import Possession

/// The numbers of the sandbox: its users first, by their digits, then the numbering plan (contract section 8).
package struct SandboxNumbers: NumberDirectory {
    /// How numbers without a sandbox user are treated.
    package enum UnknownNumbers: String, Sendable { case refuse, simulate }

    private static let nobodyHas = "no sandbox user has this number: \(NumberRefusal.wayOut)"
    private static let notOfClient =
        "no sandbox user of the products of this API client has this number: GET /sandbox/users tells those of each user"

    private let users: SandboxUsers
    private let unknown: UnknownNumbers
    private let products: [ClientID: Set<SandboxProduct>]
    private let world: PlannedNumbers

    /// - Parameters:
    ///   - products: those of API clients that do not have all products.
    ///   - world: reads numbers without a sandbox user.
    package init(
        _ users: SandboxUsers, unknown: UnknownNumbers, products: [ClientID: Set<SandboxProduct>] = [:],
        world: PlannedNumbers
    ) {
        self.users = users
        self.unknown = unknown
        self.products = products
        self.world = world
    }

    /// A sandbox user is accepted, whatever kind the plan gives to its number.
    package func read(_ text: String, for client: ClientID?) throws(NumberRefusal) -> SubmittedNumber {
        guard let digits = NumberText.digits(of: text) else { throw .malformed }
        if let user = users.user(sentAs: digits) {
            let allowed = client.flatMap { products[$0] }
            guard allowed?.contains(user.product) ?? true else { throw .otherProduct(reason: Self.notOfClient) }
            return SubmittedNumber(asSent: text, number: user.number)
        }
        guard unknown == .simulate else { throw .notServed(reason: Self.nobodyHas) }
        return try world.read(text, for: client)
    }

    package func dialledAbroad(_ text: String) -> PhoneNumber? { world.dialledAbroad(text) }

    /// All countries are allowed until the tenant's rules name some.
    package func mayMessage(_ number: PhoneNumber, by rules: TenantRules) -> Bool {
        rules.callingCodes.isEmpty || world.mayMessage(number, by: rules)
    }

    /// `nil` for a sandbox user: its messages cost nothing, and users' numbers are close together.
    package func country(of number: PhoneNumber) -> String? {
        users.user(number) == nil ? world.country(of: number) : nil
    }

    /// `nil` for a sandbox user, whose number is in no numbering plan.
    package func kind(of number: PhoneNumber) -> NumberKind? {
        users.user(number) == nil ? world.kind(of: number) : nil
    }

    package func traits(of number: PhoneNumber) -> NumberTraits {
        var traits = NumberTraits()
        guard let user = users.user(number) else { return traits }
        traits.needsNoClient = user.withoutClient
        traits.hasNoChallenge = user.product == .identity
        traits.isAnsweredElsewhere = user.link == .mismatch
        traits.verification = user.verification
        return traits
    }
}
