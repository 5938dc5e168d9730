internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The result of a session of the auth calls. Each requested subject has `success` or `error`, never both.
///
///     {"authId":"0193...","appNamespace":"sandbox","subjects":{"mobile":{"success":{"authenticatorType":"passive",
///      "claim":{"mobileNumber":"2001004014"},"createdAt":1764000000,"extras":{...}}}}}
struct AuthResult: Sendable {
    let session: Session
    let isSandbox: Bool

    /// A subject of a result; its raw value is its member of `subjects`.
    private enum Subject: String, CaseIterable {
        case mobile, device, user

        var question: SessionRequest.Questions {
            switch self {
            case .mobile: .number
            case .device: .device
            case .user: .person
            }
        }
    }

    /// Why a subject has not passed.
    struct Failure: Sendable {
        let code: Int
        let message: String

        var object: JSONObject {
            var object = JSONObject()
            object.set("code", code)
            object.set("message", message)
            return object
        }
    }

    /// The subject is not proven, or not yet.
    static func missing(_ subject: String) -> Failure {
        Failure(code: 10_004, message: "\(subject) authentication missing")
    }

    var object: JSONObject {
        var subjects = JSONObject()
        for subject in Subject.allCases where session.request.questions.contains(subject.question) {
            var object = JSONObject()
            if let success = success(of: subject) {
                object.set("success", success)
            } else {
                object.set("error", failure(of: subject).object)
            }
            subjects.set(subject.rawValue, object)
        }
        var object = JSONObject()
        object.set("authId", session.authID.text)
        object.set("appNamespace", isSandbox ? "sandbox" : "prod")
        object.set("subjects", subjects)
        return object
    }

    private func success(of subject: Subject) -> JSONObject? {
        guard session.outcome == .succeeded, let proof = session.proof else { return nil }
        return switch subject {
        case .mobile: mobile(proof)
        case .device: session.keyFinding.flatMap(device)
        case .user: session.keyFinding.flatMap(user)
        }
    }

    private func mobile(_ proof: Session.Proof) -> JSONObject {
        let boundAt = proof.method == .deviceKey ? session.keyFinding?.boundAt : nil
        var object = JSONObject()
        object.set("authenticatorType", Self.authenticator(proof.method))
        if let number = session.shownNumber { object.set("claim", ["mobileNumber": .string(number)]) }
        object.set("createdAt", (boundAt ?? proof.at).seconds)
        if proof.method == .instantLink { object.set("extras", linkExtras) }
        return object
    }

    private static func authenticator(_ method: Session.Proof.Method) -> String {
        switch method {
        case .deviceKey: "passive"
        case .customer: "provided"
        case .mobileAuth, .otp, .instantLink, .assumed: "instant"
        }
    }

    /// If an address was given, a link that was opened from another address has not passed.
    private var linkExtras: JSONObject {
        var object = JSONObject()
        object.set("linkClicked", true)
        object.set("ipMatch", Evaluation.ipMatch(of: session))
        object.set("phoneMatch", "indeterminate")
        return object
    }

    private func device(_ key: KeyFinding) -> JSONObject? {
        guard let id = session.deviceID else { return nil }
        var object = JSONObject()
        object.set("claim", ["deviceId": .string(id.text)])
        object.set("createdAt", key.boundAt.seconds)
        object.set("extras", ["deviceType": .string(session.declaration?.platform == .web ? "web" : "mobile")])
        return object
    }

    private func user(_ key: KeyFinding) -> JSONObject? {
        guard let user = session.request.keyHolder, key.holderAgrees else { return nil }
        var object = JSONObject()
        object.set("authenticatorType", user.isKept ? "provided" : "passive")
        object.set("claim", ["userId": .string(user.id)])
        object.set("createdAt", key.boundAt.seconds)
        return object
    }

    /// The error that the client got (client protocol 4.11), if it was an error of a check.
    private func failure(of subject: Subject) -> Failure {
        guard subject == .mobile else { return Self.missing(subject.rawValue) }
        if case .mismatch = session.device.state { return Failure(.deviceNumberMismatch) }
        if let error = CheckError(session.link) { return Failure(code: error.code, message: error.name) }
        if session.outcome == .failed, session.otp.attemptsLeft == 0 { return Failure(.otpMismatch) }
        if let error = CheckError(session.mobileAuth) { return Failure(code: error.code, message: error.name) }
        return Self.missing(subject.rawValue)
    }
}

extension AuthResult.Failure {
    fileprivate init(_ refusal: StepRefusal) {
        let entry = refusal.entry
        self.init(code: entry.code, message: entry.name)
    }
}
