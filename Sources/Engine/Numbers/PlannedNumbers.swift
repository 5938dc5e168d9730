package import Possession

/// Real numbers, read by the numbering plan.
package struct PlannedNumbers: NumberDirectory {
    /// Reads a number in national form of the default region, or international with `+`; `nil` if the number is not
    /// possible (API-16).
    private let plan: @Sendable (String) -> PlannedNumber?
    private let abroad: @Sendable (String) -> PhoneNumber?
    private let region: @Sendable (PhoneNumber) -> String?
    /// Whether numbers are refused that cost more than a message or are not a person's phone (ABU-06).
    private let refusesKinds: Bool

    /// Why a number outside all ranges of the plan is refused.
    private let unknownRange: (@Sendable () -> String)?

    /// - Parameters:
    ///   - unknownRange: why a number of the right length is refused if no range of the plan contains it; `nil`: it is
    ///     accepted.
    ///   - abroad: the number that people of the default region reach by these digits for a call abroad.
    ///   - region: the region of a number that was read before; `nil`: the number is read again.
    package init(
        refusesKinds: Bool = false, unknownRange: (@Sendable () -> String)? = nil,
        abroad: @escaping @Sendable (String) -> PhoneNumber? = { _ in nil },
        region: (@Sendable (PhoneNumber) -> String?)? = nil,
        plan: @escaping @Sendable (String) -> PlannedNumber?
    ) {
        self.refusesKinds = refusesKinds
        self.unknownRange = unknownRange
        self.plan = plan
        self.abroad = abroad
        self.region = region ?? { plan($0.e164)?.region }
    }

    package func read(_ text: String, for client: ClientID?) throws(NumberRefusal) -> SubmittedNumber {
        guard let digits = NumberText.digits(of: text), let planned = plan(digits) else { throw .malformed }
        if refusesKinds, planned.kind == nil, !planned.number.isDialable { throw .malformed }
        if planned.kind == nil, let unknownRange { throw .refusedKind(reason: unknownRange()) }
        if refusesKinds, let reason = planned.refusal { throw .refusedKind(reason: reason) }
        return SubmittedNumber(asSent: text, number: planned.number)
    }

    package func dialledAbroad(_ text: String) -> PhoneNumber? {
        NumberText.digitsDialledAbroad(of: text).flatMap(abroad)
    }

    /// Countries are closed until the tenant's rules open them (contract section 9).
    package func mayMessage(_ number: PhoneNumber, by rules: TenantRules) -> Bool {
        rules.opens(number) || rules.opensRegions && rules.opens(region: plan(number.e164)?.region)
    }

    package func country(of number: PhoneNumber) -> String? { region(number) ?? number.callingCode }

    package func kind(of number: PhoneNumber) -> NumberKind? { plan(number.e164)?.kind }

    package func traits(of number: PhoneNumber) -> NumberTraits { NumberTraits() }
}

extension PhoneNumber {
    /// Whether the number can be dialled at all. In North America area code and exchange begin with 2 to 9
    /// (NXX-NXX-XXXX). For a number outside all ranges the plan checks only the length.
    fileprivate var isDialable: Bool {
        let digits = Array(e164.utf8)
        guard digits.starts(with: "+1".utf8), digits.count == 12 else { return true }
        return digits[2] >= UInt8(ascii: "2") && digits[5] >= UInt8(ascii: "2")
    }
}
