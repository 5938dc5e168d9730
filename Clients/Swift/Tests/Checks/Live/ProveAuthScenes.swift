import Foundation
import Holdfast

/// The names of the guides, with steps as the guides write them: classes that keep their callback and answer later.
let proveAuthScenes = [
    Scene("guides: a wrong code comes back to the finish step, as a validation error") { stage in
        let app = GuideApp([.code("1111"), .code("1234")])
        let session = try await stage.backend.unify("2001004014", ["allowOTPRetry": .bool(true)])
        try await app.run(session, stage)
        try same(
            app.asked, ["start false", "code", "code otpValidationError 10001", "finish"], "what the app was asked")
        try await same(stage.backend.result(of: session), "true", "the result")
    },
    Scene("guides: another message, another number") { stage in
        let app = GuideApp([
            .number("12"), .number("2001004015"), .resend, .otherNumber, .number("2001004014"), .code("1234"),
        ])
        let session = try await stage.backend.unify(nil)
        try await app.run(session, stage)
        try same(
            app.asked,
            [
                "start true", "start true phoneNumberValidationError 20104", "code", "code", "start true", "code",
                "finish",
            ],
            "what the app was asked")
        try await same(stage.backend.result(of: session), "true", "the result")
    },
    Scene("guides: onError cancels") { stage in
        let app = GuideApp([.giveUp])
        let session = try await stage.backend.unify("2001004014")
        let proveAuth = app.build(stage)
        let error = await withCheckedContinuation { continuation in
            proveAuth.authenticate(session.authToken) { continuation.resume(returning: $0) }
        }
        guard case .cancelled = error else { throw Failure("the error is \(error)") }
        try same(error.localizedDescription, "Cancelled.", "the sentence for the person")
        try same(app.asked, ["start false", "code", "finish"], "what the app was asked")
        try await same(stage.backend.result(of: session), "false", "the result")
    },
    Scene("guides: an instant link opens the app") { stage in
        let app = GuideApp([])
        let target: [String: JSON] = ["finalTargetUrl": "https://app.example/done"]
        let session = try await stage.backend.unify("2001004014", type: "desktop", target)
        let proveAuth = app.build(stage, isLink: true)
        let going = Task { try await app.authenticate(proveAuth, session.authToken) }
        while app.asked.count < 2 { await Task.yield() }
        let refusal: ProveAuthError = await withCheckedContinuation { continuation in
            proveAuth.finishInstantLink(redirectUrl: "https://app.example/done?asc=yes") {
                continuation.resume(returning: $0)
            }
        }
        guard case .redirectUrlError = refusal else { throw Failure("the refusal is \(refusal)") }
        let opened = try await stage.backend.openLink(of: session, decision: "approve")
        proveAuth.finishInstantLink(redirectUrl: opened) { _ in }
        try await going.value
        try same(app.asked, ["link false", "retry", "finish"], "what the app was asked")
        try await same(stage.backend.result(of: session), "true", "the result")
    },
]

/// An app with the guides' steps. `lock` guards what it keeps.
private final class GuideApp: OtpStartStep, OtpFinishStep, InstantLinkStartStep, InstantLinkRetryStep, AuthFinishStep,
    @unchecked Sendable
{
    private let lock = NSLock()
    private var acts: [Person.Act]
    private var noted: [String] = []
    private var retryCallback: InstantLinkRetryStepCallback?

    init(_ acts: [Person.Act]) {
        self.acts = acts
    }

    var asked: [String] { locked { noted } }

    private func locked<Value>(_ work: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return work()
    }

    func build(_ stage: Stage, isLink: Bool = false) -> ProveAuth {
        var options = PossessionClient.Options()
        options.keyDirectory = stage.directory
        options.usesDeviceKey = false
        options.isSecondary = isLink
        let builder = ProveAuth.builder(authFinish: self).withOptions(options)
        return isLink
            ? builder.withInstantLinkFallback(startStep: self, retryStep: self).build()
            : builder.withOtpFallback(otpStart: self, otpFinish: self).build()
    }

    func run(_ session: Backend.Session, _ stage: Stage) async throws {
        try await authenticate(build(stage), session.authToken)
    }

    func authenticate(_ proveAuth: ProveAuth, _ token: String) async throws {
        try await proveAuth.authenticate(token)
    }

    func execute(authId: String) {
        locked { noted.append("finish") }
    }

    func execute(phoneNumberNeeded: Bool, phoneValidationError: ProveAuthError?, callback: OtpStartStepCallback) {
        note("start \(phoneNumberNeeded)", phoneValidationError)
        guard phoneNumberNeeded, case .number(let number?) = next() else { return callback.onSuccess(input: nil) }
        DispatchQueue.global().async { callback.onSuccess(input: OtpStartInput(phoneNumber: number)) }
    }

    func execute(otpError: ProveAuthError?, callback: OtpFinishStepCallback) {
        note("code", otpError)
        switch next() {
        case .code(let code):
            callback.onSuccess(input: OtpFinishInput(otp: code))
            // Too late: the first answer counts.
            callback.onError()
        case .resend: callback.onOtpResend()
        case .otherNumber: callback.onMobileNumberChange()
        default: callback.onError()
        }
    }

    func execute(phoneNumberNeeded: Bool, phoneValidationError: ProveAuthError?, callback: InstantLinkStartStepCallback)
    {
        note("link \(phoneNumberNeeded)", phoneValidationError)
        callback.onSuccess(input: nil)
    }

    func execute(callback: InstantLinkRetryStepCallback) {
        note("retry", nil)
        // Kept, and never answered.
        locked { retryCallback = callback }
    }

    private func next() -> Person.Act? {
        locked { acts.isEmpty ? nil : acts.removeFirst() }
    }

    private func note(_ step: String, _ error: ProveAuthError?) {
        var text = step
        if case .otpValidationError = error { text += " otpValidationError" }
        if case .phoneNumberValidationError = error { text += " phoneNumberValidationError" }
        if let error { text += " \(error.code)" }
        locked { noted.append(text) }
    }
}
