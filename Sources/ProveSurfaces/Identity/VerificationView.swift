internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// How a verification is shown, alone and in a batch.
struct VerificationView: Sendable {
    private let verification: VerificationService.Verification
    private var finding: VerificationFinding { verification.finding }

    init(_ verification: VerificationService.Verification) {
        self.verification = verification
    }

    /// A text, not a flag (Prove 13.4).
    var success: String { finding.passes ? "true" : "false" }
    var assuranceLevel: String { finding.assurance.level.text }

    /// The assurance, and what may be told of the person. `reasons` is there even when empty: SDKs insist on it.
    var identity: JSONObject {
        var object = JSONObject()
        object.set("assuranceLevel", assuranceLevel)
        object.set("reasons", finding.assurance.reasons.map(\.text))
        guard let person = finding.person else { return object }
        object.set("firstName", person.firstName)
        object.set("lastName", person.lastName)
        object.set("dateOfBirth", person.dob)
        object.set("nationalId", person.ssn)
        object.set("emails", person.emailAddresses.isEmpty ? nil : person.emailAddresses)
        let addresses = person.addresses.map(Self.object).filter { !$0.isEmpty }
        object.set("addresses", addresses.isEmpty ? nil : addresses)
        return object
    }

    private static func object(_ address: Person.Address) -> JSONObject {
        var object = JSONObject()
        object.set("address", address.address)
        object.set("extendedAddress", address.extendedAddress)
        object.set("city", address.city)
        object.set("region", address.region)
        object.set("zipCode", address.postalCode)
        return object
    }

    /// By category (Prove section 9); those alone that were looked at.
    var evaluation: JSONObject? {
        var object = JSONObject()
        object.set("identification", finding.identification.map { Evaluation.verdict($0.map(\.inFraudPolicy)) })
        object.set("risk", finding.risk.map(Evaluation.verdict))
        return object.isEmpty ? nil : object
    }
}
