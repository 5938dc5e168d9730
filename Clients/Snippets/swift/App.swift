import Foundation
import Holdfast

/// An app with some of the guide's steps, and its person. All of it is the main thread's, but for `noted`.
final class App: @unchecked Sendable {
    let sheet = SheetObservable()
    private(set) var person: [String]
    private let lock = NSLock()
    private var noted: [String] = []
    private var lastError: ProveAuthError?
    private var mistakes: [String] = []

    private var start: (any OtpStartStep)?
    private var finish: (any OtpFinishStep)?
    private var linkStart: (any InstantLinkStartStep)?
    private var linkRetry: (any InstantLinkRetryStep)?

    @MainActor
    init(_ scene: JSON) throws {
        person = scene["person"]?.array?.compactMap(\.string) ?? []
        switch scene["start"]?.string {
        case "otp-start-no-prompt": start = OtpStartStepNoPrompt(sheetObservable: sheet)
        case "otp-start-prompt": start = OtpStartStepWithPrompt(sheetObservable: sheet)
        case "link-start-no-prompt": linkStart = InstantLinkStartStepNoPrompt(sheetObservable: sheet)
        case "link-start-prompt": linkStart = InstantLinkStartStepWithPrompt(sheetObservable: sheet)
        default: throw Failure("there is no such start step")
        }
        switch scene["finish"]?.string ?? scene["retry"]?.string {
        case nil: break
        case "otp-finish-no-prompt": finish = OtpFinishStepNoPrompt(sheetObservable: sheet)
        case "otp-finish-resend": finish = OtpFinishStepMultipleResend(sheetObservable: sheet)
        case "otp-finish-phone-change": finish = OtpFinishStepWithPhoneChange(sheetObservable: sheet)
        case "link-retry-resend": linkRetry = InstantLinkRetryStepMultipleResend(sheetObservable: sheet)
        case "link-retry-phone-change": linkRetry = InstantLinkRetryStepPhoneChange(sheetObservable: sheet)
        default: throw Failure("there is no such finish step")
        }
        sheet.shown = { [unowned self] in act($0) }
    }

    func proveAuth(_ directory: URL) -> ProveAuth {
        var options = PossessionClient.Options()
        options.usesDeviceKey = false
        options.keyDirectory = directory
        let builder = ProveAuth.builder(authFinish: Noted(app: self)).withOptions(options)
        return linkStart == nil
            ? builder.withOtpFallback(otpStart: Noted(app: self), otpFinish: Noted(app: self)).build()
            : builder.withInstantLinkFallback(
                startStep: Noted(app: self), retryStep: linkRetry == nil ? nil : Noted(app: self)
            ).build()
    }

    var steps: [String] { locked { noted } }
    var wrong: [String] { locked { mistakes } }

    /// The person's answer on the phone, as soon as nothing else is left.
    @MainActor var decision: String? {
        let next = person.first == "received" ? person.dropFirst().first : person.first
        return next == "approves" ? "approve" : next == "denies" ? "deny" : nil
    }

    fileprivate func note(_ step: String, _ error: ProveAuthError? = nil) {
        locked {
            lastError = error
            noted.append(error.map { "\(step) \($0.reason?.name.rawValue ?? "?")" } ?? step)
        }
    }

    /// Does what the scene says next, at a sheet that a step of the guide has shown.
    private func act(_ sheet: SheetObservable.Sheet) {
        compareMarks(sheet)
        guard let act = person.first else { return complain("nothing is left to do at \(sheet)") }
        guard !["received", "approves", "denies"].contains(act) else { return }
        person.removeFirst()
        let words = act.split(separator: " ").map(String.init)
        switch (sheet, words[0]) {
        case (.otpStart, "number"): (start as? OtpStartStepWithPrompt)?.handlePhoneNumber(phoneNumber: words[1])
        case (.otpStart, "nothing"): (start as? OtpStartStepWithPrompt)?.handleOtpStartError()
        case (.linkStart, "number"):
            (linkStart as? InstantLinkStartStepWithPrompt)?.handlePhoneNumber(phoneNumber: words[1])
        case (.linkStart, "nothing"): (linkStart as? InstantLinkStartStepWithPrompt)?.handleInstantLinkStartError()
        case (.otpFinish, _): finishAct(words)
        case (.linkRetry, _): retryAct(words)
        default: complain("\(act) at \(sheet)")
        }
    }

    private func finishAct(_ words: [String]) {
        switch (finish, words[0]) {
        case (let step as OtpFinishStepNoPrompt, "code"): step.handleOtp(words[1])
        case (let step as OtpFinishStepNoPrompt, "nothing"): step.handleOtpFinishError()
        case (let step as OtpFinishStepMultipleResend, "code"): step.handleOtp(words[1])
        case (let step as OtpFinishStepMultipleResend, "resend"): step.sendNewOtp()
        case (let step as OtpFinishStepMultipleResend, "nothing"): step.handleOtpFinishError()
        case (let step as OtpFinishStepWithPhoneChange, "code"): step.handleOtp(words[1])
        case (let step as OtpFinishStepWithPhoneChange, "change"): step.handleMobileNumberChange()
        default: complain("\(words) at the code")
        }
    }

    private func retryAct(_ words: [String]) {
        switch (linkRetry, words[0]) {
        case (let step as InstantLinkRetryStepMultipleResend, "resend"): step.handleResend()
        case (let step as InstantLinkRetryStepMultipleResend, "nothing"): step.handleInstantLinkRetryError()
        case (let step as InstantLinkRetryStepPhoneChange, "resend"): step.handleResend()
        case (let step as InstantLinkRetryStepPhoneChange, "change"): step.handleMobileNumberChange()
        case (let step as InstantLinkRetryStepPhoneChange, "nothing"): step.handleInstantLinkRetryError()
        default: complain("\(words) while the link is waited for")
        }
    }

    /// The guide's steps tell the two kinds of validation errors by their case.
    private func compareMarks(_ shown: SheetObservable.Sheet) {
        let error = locked { lastError }
        switch shown {
        case .otpFinish:
            let isWrong = error?.reason?.name == .otpMismatch
            if sheet.isOtpValidationError != isWrong { complain("isOtpValidationError is \(!isWrong)") }
        case .otpStart, .linkStart:
            let isWrong = error?.reason?.name == .phoneNumberInvalid
            if sheet.isPhoneValidationError != isWrong { complain("isPhoneValidationError is \(!isWrong)") }
        case .linkRetry: break
        }
    }

    private func complain(_ mistake: String) {
        locked { mistakes.append(mistake) }
    }

    private func locked<Value>(_ work: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return work()
    }

    /// Stands before the guide's steps, and notes each call.
    private struct Noted: AuthFinishStep, OtpStartStep, OtpFinishStep, InstantLinkStartStep, InstantLinkRetryStep {
        let app: App

        func execute(authId: String) {
            app.note("finish")
        }

        func execute(phoneNumberNeeded: Bool, phoneValidationError: ProveAuthError?, callback: OtpStartStepCallback) {
            app.note(phoneNumberNeeded ? "otpStart needed" : "otpStart", phoneValidationError)
            app.start?.execute(
                phoneNumberNeeded: phoneNumberNeeded, phoneValidationError: phoneValidationError, callback: callback)
        }

        func execute(otpError: ProveAuthError?, callback: OtpFinishStepCallback) {
            app.note("otpFinish", otpError)
            app.finish?.execute(otpError: otpError, callback: callback)
        }

        func execute(
            phoneNumberNeeded: Bool, phoneValidationError: ProveAuthError?, callback: InstantLinkStartStepCallback
        ) {
            app.note(phoneNumberNeeded ? "linkStart needed" : "linkStart", phoneValidationError)
            app.linkStart?.execute(
                phoneNumberNeeded: phoneNumberNeeded, phoneValidationError: phoneValidationError, callback: callback)
        }

        func execute(callback: InstantLinkRetryStepCallback) {
            app.note("linkRetry")
            app.linkRetry?.execute(callback: callback)
        }
    }
}
