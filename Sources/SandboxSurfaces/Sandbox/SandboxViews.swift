internal import Sandbox
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// How the sandbox shows sessions to a developer.
enum SessionView {
    static func object(_ session: Session) -> JSONObject {
        var object = JSONObject()
        object.set("correlationId", session.correlationID.text)
        object.set("authId", session.authID.text)
        object.set("clientId", session.clientID.text)
        object.set("flow", session.request.flow.rawValue)
        object.set("phoneNumber", session.request.subject.number?.asSent ?? session.enteredNumber?.e164)
        switch session.phase {
        case .created:
            object.set("status", "created")
        case .active(let step):
            object.set("status", "active")
            object.set("step", step.rawValue)
        case .done(let outcome, let at):
            object.set("status", "done")
            object.set("outcome", outcome.rawValue)
            object.set("endedAt", at.rfc3339)
        }
        object.set("method", session.proof?.method.rawValue)
        object.set("createdAt", session.createdAt.rfc3339)
        object.set("expiresAt", session.expiresAt.rfc3339)
        return object
    }

    static func object(_ event: SessionEvent) -> JSONObject {
        var object = JSONObject()
        object.set("at", event.at.rfc3339)
        object.set("event", event.kind.rawValue)
        object.set("detail", event.detail)
        return object
    }
}

extension SandboxUser {
    var view: JSONObject {
        var object = JSONObject()
        object.set("phoneNumber", digits)
        object.set("name", name)
        object.set("region", region.rawValue)
        object.set("otp", otp.rawValue)
        object.set("codes", codes.isEmpty ? nil : codes.map(\.text))
        object.set("delivery", delivery.rawValue)
        object.set("deliveryDelaySeconds", deliveryDelaySeconds)
        object.set("mobileAuth", mobileAuth.rawValue)
        object.set("reputation", reputation.rawValue)
        object.set("reputationReasons", standing.reasonsView)
        object.set("link", link.rawValue)
        object.set("withoutClient", withoutClient)
        object.set("verify", verification?.view)
        object.set("note", note.isEmpty ? nil : note)
        return object
    }
}

extension ScriptedVerification {
    /// As the users file has it.
    fileprivate var view: JSONObject {
        var object = JSONObject()
        object.set("success", passes)
        object.set("assuranceLevel", assurance.level.text)
        object.set("reasons", assurance.reasons.map(\.text))
        return object
    }
}

extension Reputation {
    /// The reasons as the users file has them: code and text; `nil` without any.
    var reasonsView: JSONObject? {
        guard !passes else { return nil }
        var object = JSONObject()
        for reason in failureReasons { object.set(reason.code, reason.text) }
        return object
    }
}
