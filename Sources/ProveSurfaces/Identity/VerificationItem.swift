internal import Engine
internal import Possession
internal import SurfaceKit

/// The answer for an item of a batch of verifications. `phoneNumber`, `clientCustomerId` and `assuranceLevel` are
/// always present, the first two empty when the item had none: SDKs require them (Prove 7.3).
struct VerificationItem: Sendable {
    let item: BatchItem<VerificationService.Order>
    let result: Result<VerificationService.Verification, PlatformRefusal>

    static let reply = Reply<VerificationItem>(name: "VerificationItem") {
        ReplyMember.always("success", .flagText, "The text \"true\" or \"false\", no JSON flag.") {
            $0.finding?.passes ?? false
        }
        ReplyMember.always("assuranceLevel", .assuranceLevel, VerificationReplies.aboutLevel) {
            $0.finding?.assurance.level ?? .unknown
        }
        ReplyMember.always("phoneNumber", .text, "The value that was sent; empty when there was none.") {
            $0.phoneNumber
        }
        ReplyMember.always("clientCustomerId", .text, "The value that was sent; empty when there was none.") {
            $0.echo("clientCustomerId", .reference) ?? ""
        }
        ReplyMember.whenThere("clientHumanId", .text, "The value that was sent.") {
            $0.echo("clientHumanId", .reference)
        }
        ReplyMember.whenThere("proveId", .identifier(), "The number, as the caller's own; on success.") {
            $0.verification?.holderID
        }
        ReplyMember.whenThere("identity", .object(VerificationReplies.identity), "Absent with error.") { $0.finding }
        ReplyMember.whenThere(
            "evaluation", .object(VerificationReplies.evaluation), VerificationReplies.aboutEvaluation
        ) { $0.finding?.evaluated }
        ReplyMember.whenThere("error", .text, "The reason why the item was not looked at.") { $0.error }
    }

    private var verification: VerificationService.Verification? { try? result.get() }

    private var finding: VerificationFinding? { verification?.finding }

    private var phoneNumber: String { verification?.number.asSent ?? echo("phoneNumber", .phoneNumber) ?? "" }

    private var error: String? {
        if case .failure(let refusal) = result { PlatformError(refusal).message } else { nil }
    }

    /// The text of the item, unless it breaks its rule.
    private func echo(_ name: String, _ rule: TextRule) -> String? {
        do throws(FieldDefect) { return try FieldReader(item.sent).text(name, rule) } catch { return nil }
    }
}
