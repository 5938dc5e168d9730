internal import Engine
internal import Possession
internal import SurfaceKit

/// The target of a call: a number or an e-mail address.
struct Target: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case phoneNumber = "phone_number"
        case emailAddress = "email_address"
    }

    var kind = Kind.phoneNumber
    var value = ""

    static let shape = Shape(Target(), name: "Target") {
        Member.required(
            "type", .choice(Kind.allCases), "email_address where the server has a way for e-mail (docs/prelude.md)."
        ) { $0.kind = $1 }
        Member.required("value", .filledText(.freeText(320)), "The number, with + and country code, or the address.") {
            $0.value = $1
        }
    }

    /// The target as the engine represents it.
    /// - Returns: `nil`: the text cannot be a number.
    /// - Throws: `.emailNotAllowed`, `.addressInvalid`.
    func verified(by engine: Engine) throws(PreludeError) -> Possession.Target? {
        switch kind {
        case .phoneNumber: return try possibleNumber().map { .number($0) }
        case .emailAddress:
            do throws(EmailRefusal) { return .email(try engine.network.emails.read(value)) } catch {
                switch error {
                case .noWay: throw .emailNotAllowed
                case .malformed: throw .addressInvalid(reason: "must be an e-mail address, in ASCII")
                case .notServed(let reason): throw .addressInvalid(reason: "is not served: \(reason)")
                }
            }
        }
    }

    /// - Throws: `.emailNotAllowed`, `.field`.
    func number() throws(PreludeError) -> PhoneNumber {
        guard let number = try possibleNumber() else { throw Self.noPossibleNumber }
        return number
    }

    /// - Returns: `nil`: the text cannot be a number.
    /// - Throws: `.emailNotAllowed`.
    func possibleNumber() throws(PreludeError) -> PhoneNumber? {
        guard kind == .phoneNumber else { throw .emailNotAllowed }
        return Self.possibleNumber(value)
    }

    private static func possibleNumber(_ text: String) -> PhoneNumber? {
        NumberText.digits(of: text).flatMap { PhoneNumber(e164: $0) }
    }

    static let noPossibleNumber = noNumber("target.value")

    private static func noNumber(_ field: String) -> PreludeError {
        .field(FieldDefect(field, "must be a phone number with + and country code"))
    }

    /// The number in the plan's spelling, so that every spelling finds the same entry. A number that the plan does not
    /// know stays as typed.
    static func number(
        _ text: String, _ field: String, by engine: Engine, for tenant: ClientID
    ) throws(PreludeError) -> PhoneNumber {
        let typed = try number(text, field)
        do throws(NumberRefusal) { return try engine.network.numbers.read(typed.e164, for: tenant).number } catch {
            return typed
        }
    }

    /// A number as people type it, starting with `+`.
    static func number(_ text: String, _ field: String) throws(PreludeError) -> PhoneNumber {
        if let defect = NumberText.internationalDefect(of: text) { throw .field(FieldDefect(field, defect)) }
        guard let number = possibleNumber(text) else { throw noNumber(field) }
        return number
    }
}
