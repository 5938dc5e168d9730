/// The Mobile Auth check of a session: one attempt at a time, each taken through its hops once (client protocol 4.7).
///
///     absent                                             not in the plan
///     ready --begin--> offered --go--> travelling --cb--> asking --operator--> answered --finish--> ended
///                        |  ^ begin again (attempts left): the older attempt is void
///                        +--operator token--> asking --operator--> ended
///     answered --the chain ends on the device--> handedOver --the code--> ended
///     offered, travelling, answered --too late--> late --begin again, or give up--> offered, ended
package struct MobileAuthCheck: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case absent
        case ready
        /// The client has the URL. Its ticket opens the URL once.
        case offered(TicketDigest, expiresAt: Timestamp)
        /// The device is on its way through the operator.
        case travelling(from: AddressDigest, operatorName: String, expiresAt: Timestamp)
        /// The device came back, and the server asks the operator.
        case asking
        /// `result` identifies the answer in the fingerprint that the client must return.
        case answered(Verdict, result: [UInt8])
        /// As `answered`, but the device has a code instead of the fingerprint (`SilentCodes.code`), and only the
        /// code is accepted. `result` is empty once the server has refused the code as expired: it stays expired if the
        /// clock goes back.
        case handedOver(Verdict, result: [UInt8], expiresAt: Timestamp)
        /// The attempt took too long, and a caller has learned that. It stays void whatever the clock says later.
        /// `result` belongs to the fingerprint that came too late; empty: a hop was too late.
        case late(result: [UInt8])
        /// `nil`: the check passed, or the session went on without it.
        case ended(Failure?)
    }

    package enum Verdict: Sendable, Equatable {
        /// No number was claimed, and the operator named this one.
        case found(PhoneNumber)
        case agrees
        case differs
        case unavailable

        /// The number that the answer proves, or `nil`.
        package func number(claimed: PhoneNumber?) -> PhoneNumber? {
            switch self {
            case .found(let number): number
            case .agrees: claimed
            case .differs, .unavailable: nil
            }
        }
    }

    package enum Failure: String, Sendable, CaseIterable { case unavailable, mismatch }

    package internal(set) var state: State
    package internal(set) var attempt: AttemptID?
    package internal(set) var attemptsLeft: Int

    package init(state: State = .absent, attempt: AttemptID? = nil, attemptsLeft: Int) {
        self.state = state
        self.attempt = attempt
        self.attemptsLeft = attemptsLeft
    }

    package var isPlanned: Bool { state != .absent }

    /// An attempt is open that `finish` may name.
    package var hasOpenAttempt: Bool {
        switch state {
        case .absent, .ready, .ended: false
        case .offered, .travelling, .asking, .answered, .handedOver, .late: true
        }
    }

    /// Whether the device has a code that the session accepts.
    package var hasHandedOver: Bool { if case .handedOver = state { true } else { false } }

    /// The operator's answer, once there is one.
    var verdict: Verdict? {
        switch state {
        case .answered(let verdict, _), .handedOver(let verdict, _, _): verdict
        case .absent, .ready, .offered, .travelling, .asking, .late, .ended: nil
        }
    }

    /// When the first hop expires.
    package var ticketExpiresAt: Timestamp? {
        if case .offered(_, let expiresAt) = state { expiresAt } else { nil }
    }

    /// Ends the check, because the session went on without it.
    mutating func close() {
        switch state {
        case .absent, .ended: break
        case .ready, .offered, .travelling, .asking, .answered, .handedOver, .late: state = .ended(nil)
        }
    }
}
