import Foundation
import Holdfast

/// A person at the app: gives what the scene has written down, in order, and notes what is asked.
actor Person {
    enum Act: Sendable {
        case number(String?)
        case code(String)
        case resend
        case otherNumber
        case giveUp
        /// Does nothing, until the run no longer waits.
        case wait
    }

    private var acts: [Act]
    private(set) var asked: [String] = []
    private(set) var finished: [String] = []

    init(_ acts: [Act]) {
        self.acts = acts
    }

    nonisolated var otp: PossessionSteps.OTP {
        PossessionSteps.OTP(
            start: { try await self.start("otpStart", $0) },
            finish: { error in
                switch try await self.next("otpFinish", error) {
                case .code(let code): return .code(code)
                case .resend: return .resend
                case .otherNumber: return .otherNumber
                case let act: throw Failure("\(act) at otpFinish")
                }
            })
    }

    nonisolated var instantLink: PossessionSteps.InstantLink {
        PossessionSteps.InstantLink(
            start: { try await self.start("linkStart", $0) },
            retry: {
                switch try await self.next("linkRetry", nil) {
                case .resend: return .resend
                case .otherNumber: return .otherNumber
                case let act: throw Failure("\(act) at linkRetry")
                }
            })
    }

    func finish(_ authID: String) {
        finished.append(authID)
        asked.append("finish")
    }

    private func start(_ step: String, _ request: StartRequest) async throws -> String? {
        guard
            case .number(let number) = try await next(
                "\(step)(\(request.isPhoneNumberNeeded))", request.error)
        else { throw Failure("no number at \(step)") }
        return number
    }

    private func next(_ step: String, _ error: PossessionError?) async throws -> Act {
        asked.append(error.map { "\(step) \($0.name.rawValue)" } ?? step)
        guard !acts.isEmpty else { throw Failure("\(step) is one step too many") }
        switch acts.removeFirst() {
        case .giveUp: throw Failure("the person gives up")
        case .wait:
            try await Task.sleep(nanoseconds: .max)
            throw CancellationError()
        case let act: return act
        }
    }
}
