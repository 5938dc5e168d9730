import Foundation
import FoundationNetworking
import Holdfast

let backendUrl = ProcessInfo.processInfo.environment["BACKEND_URL"] ?? ""

// GUIDE swift/initialize
// GUIDE swift/verify
// GUIDE swift/send-info

func authenticator() -> ProveAuth {
    // GUIDE swift/authenticator
    return proveAuthSdk
}

func testModeAuthenticator() -> ProveAuth {
    let finishStep = FinishAuthStep()
    let proveAuthSdk: ProveAuth
    // GUIDE swift/test-mode
    return proveAuthSdk
}

/// State of the guide's view.
final class SignUp {
    struct Messages {
        var finalResultMessage = ""
    }

    var messages = Messages()
    private let proveAuthSdk: ProveAuth

    init(_ proveAuthSdk: ProveAuth) {
        self.proveAuthSdk = proveAuthSdk
    }

    func authenticate(_ authToken: String) {
        // GUIDE swift/authenticate
    }
}

extension ProveAuth {
    func resume(redirectUrl: String) {
        // GUIDE swift/finish-instant-link
    }
}

/// Asks the backend by the guide's `verify`, and waits for it: a step may block.
final class FinishAuthStep: ProveAuthFinishStep {
    static let finished = Finished()

    func execute(authId: String) throws {
        let isDone = DispatchSemaphore(value: 0)
        verify(authId: authId) {
            Self.finished.note($0)
            isDone.signal()
        }
        isDone.wait()
    }

    /// Whether the step has run, and what `verify` said. `lock` guards both.
    final class Finished: @unchecked Sendable {
        private let lock = NSLock()
        private var outcome: (any Error)??

        func note(_ error: (any Error)?) {
            lock.lock()
            outcome = .some(error)
            lock.unlock()
        }

        /// Waits for the step.
        func error() async -> (any Error)? {
            while true {
                if case .some(let error) = taken() { return error }
                await Task.yield()
            }
        }

        private func taken() -> (any Error)?? {
            lock.lock()
            defer { lock.unlock() }
            defer { outcome = nil }
            return outcome
        }
    }
}

/// The guide's steps for a number that the server knows, and a person who types 1234.
final class MobileOtpStartStep: OtpStartStep {
    func execute(phoneNumberNeeded: Bool, phoneValidationError: ProveAuthError?, callback: OtpStartStepCallback) {
        DispatchQueue.main.async {
            OtpStartStepNoPrompt(sheetObservable: SheetObservable()).execute(
                phoneNumberNeeded: phoneNumberNeeded, phoneValidationError: phoneValidationError, callback: callback)
        }
    }
}

final class MobileOtpFinishStep: OtpFinishStep {
    func execute(otpError: ProveAuthError?, callback: OtpFinishStepCallback) {
        DispatchQueue.main.async {
            let sheet = SheetObservable()
            let step = OtpFinishStepNoPrompt(sheetObservable: sheet)
            sheet.shown = { _ in step.handleOtp("1234") }
            step.execute(otpError: otpError, callback: callback)
        }
    }
}
