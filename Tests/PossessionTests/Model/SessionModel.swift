@testable import Possession

/// A session as a reader of client protocol 4.6 and contract section 8 would keep it on paper: small enough to be read in
/// one go, and written from those pages, not from the code it is held against. Moments are seconds since the session's
/// start.
struct SessionModel {
    enum Place: Equatable { case created, device, mobileAuth, first, waiting, done }
    enum Kind: CaseIterable { case code, link }
    enum Exchange { case plain, challenged }
    enum Verdict: CaseIterable { case found, agrees, differs, unavailable }
    enum Hop: Equatable {
        case offered(until: Int), travelling(until: Int), asking, answered(Verdict, signedAt: Int), lost
    }
    struct Message: Equatable {
        var id: Int
        var at: Int
        var isLate = false
    }
    enum Reply: Equatable {
        case ok, refused(StepRefusal), turnedAway(AdmissionRefusal), hop(Session.HopRefusal), askAgain, stepNotAllowed
    }

    /// Everything a send changes, and gives back when the carrier refuses it.
    struct Spot: Equatable {
        var place = Place.created
        var sendsLeft = 3
        var entriesLeft: Int
        var message: Message?
        var number: PhoneNumber?
        var hop: Hop?
        /// Another one with every event that makes an earlier send a fact.
        var stamp = 0
    }

    let setup: ModelSetup
    var clock = 0
    var spot: Spot
    var isRedeemed = false, outcome: Session.Outcome?, endedAt: Int?
    var triesLeft: Int, attemptsLeft = 3, challengesLeft = 3, bindTriesLeft = 3
    var attempt = 0, messages = 0, stamps = 0, challengedAt = 0
    var holdsKey = false, hasKey = false, isAtRisk = false
    var method: Session.Proof.Method?, proven: PhoneNumber?
    /// The code that the newest tap gave, and until when it is good.
    var given: (id: Int, until: Int)?
    var taps = 0
    /// Result of the holder's answer to the newest link.
    var linkEnd: LinkEnding.Reason?

    init(_ setup: ModelSetup) {
        self.setup = setup
        triesLeft = setup.retries ? 3 : 1
        spot = Spot(entriesLeft: setup.mayChange ? 3 : 1, number: setup.claimed)
    }

    // MARK: the plan

    var kind: Kind? {
        switch setup.flow {
        case .none: nil
        case .desktop: .link
        case .mobile: setup.fallback
        }
    }

    var plansMobileAuth: Bool {
        let isReachable = setup.cellular != .no || (setup.wishesTestMode && setup.isSandbox)
        let canReturn = setup.platform != .web || setup.hasReturnPage
        let fits = setup.flow == .mobile || (setup.flow == .none && setup.claimed == nil)
        return setup.mobileAuth && setup.canMobileAuth && fits && isReachable && canReturn
    }

    var plan: [Place] {
        (setup.flow != .desktop && setup.deviceKey ? [.device] : []) + (plansMobileAuth ? [.mobileAuth] : [])
            + (kind == nil ? [] : [.first])
    }

    mutating func go(past place: Place?) {
        let next = plan.drop { place != nil && $0 != place }.dropFirst(place == nil ? 0 : 1).first
        guard let next else { return end(setup.flow == .none ? .possessionRequired : .failed) }
        spot.place = next
    }

    mutating func end(_ outcome: Session.Outcome, at moment: Int? = nil) {
        self.outcome = outcome
        endedAt = moment ?? clock
        spot.place = .done
        spot.hop = nil
        given = nil
    }

    mutating func pass(_ method: Session.Proof.Method, _ number: PhoneNumber) {
        guard !setup.isBadStanding || method == .assumed else { isAtRisk = true; return end(.failed) }
        (self.method, proven) = (method, number)
        hasKey = method == .deviceKey || (holdsKey && method != .assumed)
        end(.succeeded)
    }

    mutating func touch() {
        stamps += 1
        spot.stamp = stamps
    }

    // MARK: time

    var life: Int { kind == .link ? 180 : 120 }

    mutating func settle() {
        guard spot.place != .done else { return }
        // A link was opened in time: its code has its own time.
        if let given, clock < given.until { return }
        if spot.place == .waiting, let message = spot.message {
            let late = message.at + life
            if clock >= late, late < 900 {
                // Also where its lateness was told while the code of a link was still good.
                if spot.sendsLeft == 0 { return end(.failed, at: late) }
                if kind == .link, !message.isLate { spot.message?.isLate = true; touch() }
            }
        }
        if clock >= 900 { end(.expired, at: max(900, given?.until ?? 0)) }
    }

    // MARK: what may be called

    var allowed: [Session.Action] {
        let first: [Session.Action] = kind == .code ? [.otpStart] : kind == .link ? [.linkStart] : []
        switch spot.place {
        case .created, .done: return []
        case .device: return [.device] + (plansMobileAuth ? [.mobileAuth] : []) + first + [.cancel]
        case .mobileAuth:
            return (attemptsLeft > 0 ? [.mobileAuth] : []) + (spot.hop != nil ? [.mobileAuthFinish] : []) + first
                + [.cancel]
        case .first: return first + [.cancel]
        case .waiting:
            let again: [Session.Action] = kind == .code ? [.otpResend, .otpPhone] : [.linkResend, .linkPhone]
            let count = spot.sendsLeft == 0 ? 0 : setup.mayChange && spot.entriesLeft > 0 ? 2 : 1
            return (kind == .code ? [.otpVerify] : []) + again.prefix(count) + [.cancel]
        }
    }
}
