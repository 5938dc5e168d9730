internal import Possession
internal import SurfaceKit

/// Whom a call is about.
struct Target: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case phoneNumber = "phone_number"
        case emailAddress = "email_address"
    }

    var kind = Kind.phoneNumber
    var value = ""

    static let shape = Shape(Target()) {
        Member.required("type", .choice(Kind.allCases), "This server verifies phone numbers only.") { $0.kind = $1 }
        Member.required("value", .filledText(.freeText(320)), "The number, with + and country code.") {
            $0.value = $1
        }
    }

    /// - Throws: `.emailNotAllowed`, `.field`.
    func number() throws(PreludeError) -> PhoneNumber {
        guard kind == .phoneNumber else { throw .emailNotAllowed }
        return try Self.number(value, "target.value")
    }

    /// A number as people type it, with `+`.
    static func number(_ text: String, _ field: String) throws(PreludeError) -> PhoneNumber {
        guard let number = NumberText.digits(of: text).flatMap({ PhoneNumber(e164: $0) }) else {
            throw .field(FieldDefect(field, "must be a phone number with + and country code"))
        }
        return number
    }
}
