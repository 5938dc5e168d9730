internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// What a session has come to, as `unify-status` and `unify-bind` tell it (Prove 5.3).
///
///     {"success":"true","phoneNumber":"2001004014","proveId":"...","deviceId":"...","clientRequestId":"r-1"}
struct UnifyResult: Sendable {
    let session: Session
    /// Of this request; the one of unify stands in for it.
    let clientRequestID: String?
    /// Of this request, where it has one.
    var sentNumber: String?
    /// This call itself was refused (a bind with a wrong number), whatever the session may still come to.
    var isRefusal = false

    enum Success: String, Sendable {
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

    var response: Response {
        let references = session.request.references
        let passed = success == .passed
        var object = JSONObject()
        object.set("success", success.rawValue)
        object.set("phoneNumber", phoneNumber)
        if passed {
            object.set("proveId", session.proveID?.text)
            object.set("deviceId", session.deviceID?.text)
            object.set("clientHumanId", references.clientHumanID)
        }
        object.set("clientRequestId", clientRequestID ?? references.clientRequestID)
        object.set("evaluation", Evaluation(session).object)
        return .json(200, object)
    }

    private var phoneNumber: String? {
        sentNumber ?? session.shownNumber
    }
}

extension Session {
    /// As the caller wrote it when it is the number that counts; a number found on the way in E.164 (contract section 8).
    var shownNumber: String? {
        let claimed = request.subject.number
        guard let proof, proof.number != claimed?.number else { return claimed?.asSent }
        return proof.number.e164
    }
}
