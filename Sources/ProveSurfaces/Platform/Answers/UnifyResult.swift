internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The result of a session, as `unify-status` and `unify-bind` return it (Prove 5.3).
///
///     {"success":"true","phoneNumber":"2001004014","proveId":"...","deviceId":"...","clientRequestId":"r-1"}
struct UnifyResult: Sendable {
    let session: Session
    /// The ID of this request; `nil`: the ID of the unify request is used.
    let clientRequestID: String?
    /// The number in this request; `nil`: none was sent.
    var sentNumber: String?
    /// This call itself was refused (a bind with a wrong number), whatever the session's result will be.
    var isRefusal = false
    /// A statement for a third party, if one was requested.
    var statement: String?

    enum Success: String, Sendable, CaseIterable {
        case pending
        case passed = "true"
        case failed = "false"
        case possessionRequired = "possession_required"
    }

    var success: Success {
        if isRefusal { return .failed }
        return switch session.outcome {
        case nil: .pending
        case .succeeded: .passed
        case .possessionRequired: .possessionRequired
        case .failed, .cancelled, .expired: .failed
        }
    }

    /// IDs and names of the person are included only with success.
    private var passed: Bool { success == .passed }

    static let reply = Reply<UnifyResult>(name: "UnifyResult") {
        ReplyMember.always(
            "success", .choice(Success.allCases),
            "The text \"pending\", \"true\", \"false\" or \"possession_required\"."
        ) { $0.success }
        ReplyMember.whenThere("phoneNumber", .text, "The number as it was sent; one found on the way is E.164.") {
            $0.phoneNumber
        }
        ReplyMember.whenThere("proveId", .identifier(), "The number, as the API client's own; on success.") {
            $0.passed ? $0.session.holderID : nil
        }
        ReplyMember.whenThere("deviceId", .identifier(), "The bound key; on success, where there is one.") {
            $0.passed ? $0.session.deviceID : nil
        }
        ReplyMember.whenThere("clientHumanId", .text, "The value that was sent to unify; there on success.") {
            $0.passed ? $0.session.request.references.clientHumanID : nil
        }
        ReplyMember.whenThere("clientRequestId", .text, "The value sent here, else the one sent to unify.") {
            $0.clientRequestID ?? $0.session.request.references.clientRequestID
        }
        ReplyMember.whenThere(
            "statement", .text, "A JWT for the audience that was named; on success by a check of this server."
        ) { $0.statement }
        ReplyMember.whenThere("evaluation", .object(.named("Evaluation")), "The reasons, by category.") {
            Evaluation($0.session).object
        }
    }

    private var phoneNumber: String? {
        sentNumber ?? session.shownNumber
    }
}

extension Session {
    /// In the caller's spelling if it is the number of the result; otherwise, a number found during the session, in
    /// E.164 (contract section 8).
    var shownNumber: String? {
        let claimed = request.subject.number
        guard let proof, proof.number != claimed?.number else { return claimed?.asSent }
        return proof.number?.e164
    }
}
