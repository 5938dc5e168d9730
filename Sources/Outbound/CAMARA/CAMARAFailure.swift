/// Why an operator has not answered, and whether that counts against it.
struct CAMARAFailure: Error, Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case timeout
        /// The operator was not called: it has failed too often, or it has asked for a pause.
        case resting
        /// The operator works, but it does not serve this device, or does not report on this number.
        case notServed
        case cancelled(reason: String)
        case failed(reason: String)
    }

    let kind: Kind
    let outcome: CircuitBreaker.Outcome
    /// How long the operator wants no calls; `nil`: it did not say.
    var pause: Duration?

    private init(_ kind: Kind, _ outcome: CircuitBreaker.Outcome) {
        self.kind = kind
        self.outcome = outcome
    }

    static let timeout = CAMARAFailure(.timeout, .failed)
    static let resting = CAMARAFailure(.resting, .abandoned)
    static let notServed = CAMARAFailure(.notServed, .answered)

    /// Something of our own failed before the operator was called.
    static func ours(_ reason: String) -> CAMARAFailure { CAMARAFailure(.failed(reason: reason), .abandoned) }

    /// The operator works but refuses this code or number. Forged codes must not open its circuit.
    static func refused(_ reason: String) -> CAMARAFailure { CAMARAFailure(.failed(reason: reason), .answered) }

    static func broken(_ reason: String) -> CAMARAFailure { CAMARAFailure(.failed(reason: reason), .failed) }

    init(_ fault: OutboundFault, in call: CAMARACall) {
        switch fault {
        case .timeout: self = .timeout
        case .connect: self = .broken("\(call.rawValue): no connection")
        case .tooLarge: self = .broken("\(call.rawValue): the answer is too large")
        case .cancelled: self.init(.cancelled(reason: "\(call.rawValue): cancelled"), .abandoned)
        case .failed(let reason): self = .broken("\(call.rawValue): \(reason)")
        }
    }
}
