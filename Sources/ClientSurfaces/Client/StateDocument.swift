internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The state for the client (client protocol 4.5): every answer of `/client/v1/session*`, and a member of its errors.
///
///     {"authId":"...","rev":6,"status":"active","flow":"mobile","step":"otpFinish","allowed":["otp.verify","cancel"], ...}
///
/// It contains no personal data except the masked number. A member without a value is left out.
struct StateDocument: Sendable {
    let session: Session

    init(_ session: Session) {
        self.session = session
    }

    /// The answer of most calls.
    static let reply = Reply<OperationReply>(.named("State")) { StateDocument($0.session).object }

    var object: JSONObject {
        var object = JSONObject()
        object.set("authId", session.authID.text)
        object.set("rev", session.revision)
        object.set("status", status)
        object.set("outcome", session.outcome?.rawValue)
        object.set("flow", session.request.flow.rawValue)
        if case .active(let step) = session.phase { object.set("step", step.rawValue) }
        object.set("allowed", session.allowed.map(\.rawValue))
        object.set("expiresAt", session.expiresAt.rfc3339)
        object.set("phone", phone)
        object.set("device", device)
        object.set("otp", otp)
        object.set("link", link)
        object.set("mobileAuth", mobileAuth)
        return object
    }

    private var status: String {
        switch session.phase {
        case .created: "created"
        case .active: "active"
        case .done: "done"
        }
    }

    private var phone: JSONObject {
        var object = JSONObject()
        object.set("needed", session.needsNumber && session.proof == nil)
        object.set("masked", session.currentNumber?.masked)
        return object
    }

    private var device: JSONObject {
        var object = JSONObject()
        object.set("status", deviceStatus)
        if case .challenged(let challenge) = session.device.state, !session.isDone {
            object.set("challenge", Base64URL.encode(challenge.bytes))
        }
        // If the shown key is a retired one, the client must make a new one (client protocol 4.10).
        object.set("rotate", deviceStatus == session.device.retired?.rawValue)
        return object
    }

    private var deviceStatus: String {
        switch session.device.state {
        case .absent, .challenged, .skipped: session.device.retired?.rawValue ?? "absent"
        case .pending: "pending"
        case .recognized: "recognized"
        case .mismatch: "mismatch"
        }
    }

    /// Present if the OTP is part of the plan.
    private var otp: JSONObject? {
        guard session.request.flow == .mobile, session.declaration?.fallback == .otp else { return nil }
        var object = JSONObject()
        object.set("codeLength", session.otp.codeLength)
        object.set("codeExpiresAt", session.otp.expiresAt?.rfc3339)
        object.set("sendsLeft", session.sends.sendsLeft)
        object.set("attemptsLeft", session.otp.attemptsLeft)
        object.set("phoneEntriesLeft", session.sends.entriesLeft)
        return object
    }

    /// Present if the link is part of the plan.
    private var link: JSONObject? {
        let isDesktop = session.request.flow == .desktop && session.declaration != nil
        guard isDesktop || session.request.flow == .mobile && session.declaration?.fallback == .link else { return nil }
        var object = JSONObject()
        object.set("expiresAt", session.link.expiresAt?.rfc3339)
        object.set("waitUntil", session.link.waitUntil?.rfc3339)
        object.set("sendsLeft", session.sends.sendsLeft)
        object.set("phoneEntriesLeft", session.sends.entriesLeft)
        if session.link.expiresAt != nil { object.set("matchCode", session.link.matchCode) }
        let error = CheckError(session.link)
        object.set("error", error?.name)
        object.set("code", error?.code)
        return object
    }

    /// Present if Mobile Auth is part of the plan.
    private var mobileAuth: JSONObject? {
        guard session.mobileAuth.isPlanned else { return nil }
        var object = JSONObject()
        object.set("attemptsLeft", session.mobileAuth.attemptsLeft)
        let error = CheckError(session.mobileAuth)
        object.set("error", error?.name)
        object.set("code", error?.code)
        return object
    }
}
