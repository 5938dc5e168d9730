internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The form of a verification in answers, single and in a batch.
enum VerificationReplies {
    static let aboutLevel = "How sure the result is: AL-1 (poor identity), AL0 (unknown), AL1 to AL3 (highest)."
    static let aboutEvaluation = "The reasons, by category. Absent if the server compared nothing."

    /// The assurance, and the person's data that the caller may see. `reasons` is always present, even empty: SDKs
    /// require it.
    static let identity = Reply<VerificationFinding>(name: "VerifiedIdentity") {
        ReplyMember.always("assuranceLevel", .assuranceLevel, aboutLevel) { $0.assurance.level }
        ReplyMember.always(
            "reasons", .list(of: .text(.text(pattern: "^AL-?[0-9][a-z]$"))),
            "The reasons for the level, each as a level and a letter."
        ) {
            $0.assurance.reasons.map(\.text)
        }
        ReplyMember.whenThere("firstName", .text, "This and the rest: of prefill and identityResolution alone.") {
            $0.person?.firstName
        }
        ReplyMember.whenThere("lastName", .text, "Last name on record.") { $0.person?.lastName }
        ReplyMember.whenThere("dateOfBirth", .text, "Birth date, YYYY-MM-DD.") { $0.person?.dob }
        ReplyMember.whenThere("nationalId", .text, "The SSN.") { $0.person?.ssn }
        ReplyMember.whenThere("emails", .list(of: .text), "E-mail addresses on record.") {
            $0.person?.emailAddresses.unlessEmpty
        }
        ReplyMember.whenThere("addresses", .list(of: .object(address)), "Postal addresses on record.") {
            $0.person?.addresses.filter(\.saysAnything).unlessEmpty
        }
    }

    /// By category (Prove section 9); only categories that were checked.
    static let evaluation = Reply<VerificationFinding>(name: "VerificationEvaluation") {
        ReplyMember.whenThere("identification", .object(PlatformSchemas.verdict), "Whether it is the person.") {
            $0.identification.map { Evaluation.verdict($0.map(\.inFraudPolicy)) }
        }
        ReplyMember.whenThere("risk", .object(PlatformSchemas.verdict), "The reasons against the number.") {
            $0.risk.map(Evaluation.verdict)
        }
    }

    private static let address = Reply<Person.Address>(name: "IdentityAddress") {
        ReplyMember.whenThere("address", .text, "House number and street.") { $0.address }
        ReplyMember.whenThere("extendedAddress", .text, "A further line, such as the apartment.") { $0.extendedAddress }
        ReplyMember.whenThere("city", .text, "City or town.") { $0.city }
        ReplyMember.whenThere("region", .text, "State or province, such as CO.") { $0.region }
        ReplyMember.whenThere("zipCode", .text, "Five digits or ZIP+4.") { $0.postalCode }
    }
}

extension VerificationFinding {
    /// The finding, if any category was checked.
    var evaluated: VerificationFinding? { identification == nil && risk == nil ? nil : self }
}

extension Output where Value == Bool {
    /// A text, not a flag (Prove 13.4).
    static var flagText: Output { Output(Schema.choice(["true", "false"])) { .string($0 ? "true" : "false") } }
}

extension Output where Value == Assurance.Level {
    static var assuranceLevel: Output { Output(Schema.choice(Assurance.Level.texts)) { .string($0.text) } }
}

extension Person.Address {
    fileprivate var saysAnything: Bool {
        address != nil || extendedAddress != nil || city != nil || region != nil || postalCode != nil
    }
}

extension Array {
    /// For members that are left out if the list is empty.
    var unlessEmpty: [Element]? { isEmpty ? nil : self }
}
