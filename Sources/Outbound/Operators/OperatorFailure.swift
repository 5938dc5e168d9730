internal import Engine
internal import Possession

/// The call that failed; its name is used in reasons.
enum OperatorCall: String, Sendable {
    case token
    case verify
    case number = "device-phone-number"
    case simSwap = "sim-swap"
    case recycling = "number-recycling"
}

/// Why there is no answer, and whether that counts against the operator.
struct OperatorFailure: Error, Sendable, Equatable {
    let fault: OperatorFault
    let outcome: CircuitBreaker.Outcome

    private init(_ fault: OperatorFault, _ outcome: CircuitBreaker.Outcome) {
        self.fault = fault
        self.outcome = outcome
    }

    static let timeout = OperatorFailure(.timeout, .failed)
    static let notOnNetwork = OperatorFailure(.notOnNetwork, .answered)

    /// Something of our own failed before the operator was called.
    static func ours(_ reason: String) -> OperatorFailure {
        OperatorFailure(.failed(reason: reason), .abandoned)
    }

    /// The operator works but refuses this code or number. Forged codes must not open its circuit.
    static func refused(_ reason: String) -> OperatorFailure {
        OperatorFailure(.failed(reason: reason), .answered)
    }

    static func broken(_ reason: String) -> OperatorFailure {
        OperatorFailure(.failed(reason: reason), .failed)
    }

    init(_ fault: OutboundFault, in call: OperatorCall) {
        switch fault {
        case .timeout: self = .timeout
        case .connect: self = .broken("\(call.rawValue): no connection")
        case .tooLarge: self = .broken("\(call.rawValue): the answer is too large")
        case .cancelled: self = .ours("\(call.rawValue): cancelled")
        case .failed(let reason): self = .broken("\(call.rawValue): \(reason)")
        }
    }
}
