internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// An item of a batch of verifications: how it is read, and how its result is shown. `phoneNumber`, `clientCustomerId` and
/// `assuranceLevel` are always there, the former two empty when the item had none: SDKs insist on them (Prove 7.3).
struct VerificationItem: Sendable {
    private let sent: JSONObject
    private let result: Result<VerificationService.Verification, PlatformRefusal>

    init(_ item: JSONValue, _ result: Result<VerificationService.Verification, PlatformRefusal>) {
        sent = item.object ?? JSONObject()
        self.result = result
    }

    static func order(_ item: JSONValue) -> Result<VerificationService.Order, PlatformRefusal> {
        guard let object = item.object else {
            return .failure(.invalidField(.named("items"), reason: "must have objects"))
        }
        do throws(FieldDefect) {
            return .success(try VerifyPerson.order(FieldReader(object)))
        } catch {
            return .failure(.invalidField(.named(error.field), reason: error.reason))
        }
    }

    var object: JSONObject {
        var object = JSONObject()
        switch result {
        case .success(let verification):
            let view = VerificationView(verification)
            object.set("success", view.success)
            object.set("assuranceLevel", view.assuranceLevel)
            object.set("phoneNumber", verification.number.asSent)
            setReferences(in: &object)
            object.set("proveId", verification.holderID?.text)
            object.set("identity", view.identity)
            object.set("evaluation", view.evaluation)
        case .failure(let refusal):
            object.set("success", "false")
            object.set("assuranceLevel", Assurance.Level.unknown.text)
            object.set("phoneNumber", echo("phoneNumber", .phoneNumber) ?? "")
            setReferences(in: &object)
            object.set("error", PlatformError(refusal).itemMessage)
        }
        return object
    }

    private func setReferences(in object: inout JSONObject) {
        object.set("clientCustomerId", echo("clientCustomerId", .reference) ?? "")
        object.set("clientHumanId", echo("clientHumanId", .reference))
    }

    /// What was sent, unless it breaks its rule.
    private func echo(_ name: String, _ rule: TextRule) -> String? {
        guard let text = sent[name]?.string, !text.isEmpty, rule.defect(of: text) == nil else { return nil }
        return text
    }
}
