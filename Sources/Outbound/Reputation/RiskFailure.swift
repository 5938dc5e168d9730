internal import Engine
internal import Possession

/// Why an operator has not reported a number's standing, and whether that counts against the operator.
struct RiskFailure: Error, Sendable, Equatable {
    let fault: ReputationFault
    let outcome: CircuitBreaker.Outcome
    /// How long the operator wants no calls; `nil`: it did not say.
    var pause: Duration?

    private init(_ fault: ReputationFault, _ outcome: CircuitBreaker.Outcome) {
        self.fault = fault
        self.outcome = outcome
    }

    /// The operator does not know the number, or does not report on it.
    static let notCovered = RiskFailure(.notCovered, .answered)
    static let timeout = RiskFailure(.timeout, .failed)

    /// The operator works but refuses this call.
    static func refused(_ reason: String) -> RiskFailure { RiskFailure(.failed(reason: reason), .answered) }

    static func broken(_ reason: String) -> RiskFailure { RiskFailure(.failed(reason: reason), .failed) }

    /// Something of our own failed before the operator was called.
    static func ours(_ reason: String) -> RiskFailure { RiskFailure(.failed(reason: reason), .abandoned) }

    init(_ fault: OutboundFault, in call: OperatorCall) {
        switch fault {
        case .timeout: self = .timeout
        case .connect: self = .broken("\(call.rawValue): no connection")
        case .tooLarge: self = .broken("\(call.rawValue): the answer is too large")
        case .cancelled: self.init(.cancelled, .abandoned)
        case .failed(let reason): self = .broken("\(call.rawValue): \(reason)")
        }
    }

    init(_ failure: OperatorFailure) {
        switch failure.fault {
        case .timeout: self = .timeout
        case .failed(let reason): self.init(.failed(reason: reason), failure.outcome)
        case .notOnNetwork, .circuitOpen: self.init(.failed(reason: "token: refused"), failure.outcome)
        }
    }
}
