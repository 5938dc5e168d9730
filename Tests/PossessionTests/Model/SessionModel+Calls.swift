@testable import Possession

/// The calls: each answers as the tables have it, and leaves the model where they say.
extension SessionModel {
    private var off: Reply { .refused(spot.place == .done ? .sessionDone : .invalidState) }

    mutating func redeem() -> Reply {
        guard !isRedeemed else { return .ok }
        guard spot.place == .created else { return off }
        isRedeemed = true
        if plan.first == .device { challenge() }
        go(past: nil)
        return .ok
    }

    func stranger() -> Reply { isRedeemed ? .turnedAway(.tokenAlreadyUsed) : off }

    private mutating func challenge() {
        challengesLeft -= 1
        challengedAt = clock
    }

    private mutating func challengeAgain() {
        if challengesLeft > 0 { challenge() } else { go(past: .device) }
    }

    mutating func device(_ key: ModelCall.Key) -> Reply {
        guard spot.place == .device else { return off }
        guard key != .forged, clock < challengedAt + 120 else {
            challengeAgain()
            return .refused(.deviceProofInvalid)
        }
        switch key {
        case .retired: challengeAgain()
        case .sameNumber, .otherNumber:
            if setup.namesOtherDevice { go(past: .device); break }
            if setup.rebind { holdsKey = true; go(past: .device); break }
            let number = key == .sameNumber ? Fixture.lorant : Fixture.laney
            guard setup.claimed == nil || setup.claimed == number else {
                end(.failed)
                return .refused(.deviceNumberMismatch)
            }
            pass(.deviceKey, number)
        case .fresh, .forged:
            holdsKey = !setup.namesOtherDevice
            go(past: .device)
        }
        return .ok
    }

    mutating func begin() -> Reply {
        guard spot.place == .mobileAuth || (spot.place == .device && plansMobileAuth), attemptsLeft > 0 else {
            return off
        }
        attemptsLeft -= 1
        attempt += 1
        spot.place = .mobileAuth
        spot.hop = .offered(until: clock + 60)
        return .ok
    }

    mutating func hop(isCurrent: Bool, rightTicket: Bool, knownNetwork: Bool) -> Reply {
        guard isCurrent, case .offered(let until) = spot.hop else { return .hop(.gone) }
        guard rightTicket else { return .hop(.unknown) }
        guard clock < until else {
            spot.hop = .lost
            return .hop(.gone)
        }
        spot.hop = knownNetwork ? .travelling(until: clock + 60) : .lost
        return .ok
    }

    mutating func comeBack(isCurrent: Bool, sameAddress: Bool) -> Reply {
        guard isCurrent, case .travelling(let until) = spot.hop else { return .hop(.gone) }
        guard clock < until else {
            spot.hop = .lost
            return .hop(.gone)
        }
        guard sameAddress else { return .hop(.otherAddress) }
        spot.hop = .asking
        return .ok
    }

    mutating func answer(isCurrent: Bool, _ verdict: Verdict) -> Reply {
        guard isCurrent, spot.hop == .asking else { return .hop(.gone) }
        spot.hop = .answered(verdict, signedAt: clock)
        return .ok
    }

    mutating func finish(isGenuine: Bool) -> Reply {
        guard spot.place == .mobileAuth, let hop = spot.hop else { return off }
        guard isGenuine, case .answered(let verdict, let signedAt) = hop else { return .refused(.fingerprintInvalid) }
        guard clock < signedAt + 60 else { return .refused(.fingerprintExpired) }
        switch verdict {
        case .found, .agrees: pass(.mobileAuth, setup.claimed ?? Fixture.laney)
        case .differs, .unavailable: leaveMobileAuth()
        }
        return .ok
    }

    mutating func giveUp(isCurrent: Bool) -> Reply {
        guard spot.place == .mobileAuth, spot.hop != nil, isCurrent else { return off }
        leaveMobileAuth()
        return .ok
    }

    private mutating func leaveMobileAuth() {
        spot.hop = nil
        go(past: .mobileAuth)
    }

    mutating func send(_ kind: Kind, _ order: ModelCall.Order, to number: PhoneNumber) -> Reply {
        // It may live on, but for the code of a link alone.
        if clock >= 900 { return .refused(.sessionDone) }
        guard spot.place != .done, self.kind == kind else { return off }
        let isFirst = order == .first || order == .firstNaming
        guard spot.place == .waiting ? !isFirst : isFirst && spot.place != .created else { return off }
        if order == .firstNaming, setup.claimed != nil { return .refused(.phoneNumberNotAccepted) }
        if order == .first, spot.number == nil { return .refused(.phoneNumberRequired) }
        if order == .toNumber, !setup.mayChange { return .refused(.phoneChangeNotAllowed) }
        if order == .toNumber, spot.entriesLeft == 0 { return .refused(.phoneEntriesExhausted) }
        if spot.sendsLeft == 0 { return .refused(.sendsExhausted) }
        spot.sendsLeft -= 1
        if order != .again { spot.entriesLeft -= 1 }
        if order == .firstNaming || order == .toNumber { spot.number = number }
        // It was given to the holder of another number.
        if order == .toNumber { given = nil }
        messages += 1
        spot.message = Message(id: messages, at: clock)
        spot.place = .waiting
        spot.hop = nil
        touch()
        return .ok
    }

    /// The carrier refused the message that was sent from `before`.
    mutating func takeBack(to before: Spot, sentAs stamp: Int) {
        guard spot.place != .done, spot.stamp == stamp else { return }
        // A message whose link was opened has arrived. The link beside codes is the same one in all of them.
        if given != nil, before.place != .waiting || before.number != spot.number { return }
        spot = before
    }

    mutating func verify(isRight: Bool) -> Reply {
        guard spot.place == .waiting, kind == .code, let message = spot.message, let number = spot.number else {
            return off
        }
        if clock >= 900 { return .refused(.otpExpired) }
        guard clock < message.at + 120 else {
            // Once lateness was told, the send is no longer taken back.
            if !message.isLate { spot.message?.isLate = true; touch() }
            return .refused(.otpExpired)
        }
        triesLeft -= 1
        touch()
        if isRight { pass(.otp, number); return .ok }
        if triesLeft == 0 { end(.failed) }
        return .refused(.otpMismatch)
    }

    mutating func decide(_ answer: ModelCall.Answer) -> Reply {
        guard answer.isNewest || carriesLink, case .open = linkStatus(newestLink), let number = spot.number else {
            return .ok
        }
        if answer.approves, setup.matchCode, answer.digits == .missing { return .askAgain }
        let agrees = setup.givesAddress && answer.address == .same
        linkEnd = answer.approves ? .failed : .denied
        if !answer.approves || (setup.matchCode && answer.digits == .wrong) || (setup.needsAddress && !agrees)
            || answer.isOtherPhone
        {
            end(.failed)
        } else if setup.exchange != nil {
            linkEnd = nil
            taps += 1
            given = (taps, clock + 60)
        } else {
            pass(.instantLink, number)
        }
        return .ok
    }

    /// The link beside a session's codes: the same one in all its messages.
    static let carriedLink = 200
    var carriesLink: Bool { kind == .code && setup.exchange != nil }
    var newestLink: Int { carriesLink ? Self.carriedLink : spot.message?.id ?? 0 }

    mutating func exchange(_ code: ModelCall.Given, _ verifier: ModelCall.Verifier) -> Reply {
        guard spot.place != .done else { return .refused(.sessionDone) }
        let isVerified = verifier == (setup.exchange == .challenged ? .right : .missing)
        guard code == .newest, isVerified, let given, clock < given.until, let number = spot.number else {
            return .refused(.invalidState)
        }
        linkEnd = .failed
        pass(.instantLink, number)
        return .ok
    }

    func linkStatus(_ id: Int) -> Session.LinkStatus {
        let isKnown = carriesLink ? id == Self.carriedLink && messages > 0 : kind == .link && spot.message?.id == id
        guard isKnown else { return .superseded }
        if outcome == .succeeded { return .ended(setup.exchange == nil ? .approved : .used) }
        if spot.place == .done {
            return .ended(linkEnd ?? (kind == .link || outcome == .expired ? .expired : .failed))
        }
        guard spot.place == .waiting, let message = spot.message, !message.isLate else { return .ended(.expired) }
        let end = min(message.at + life, 900)
        return clock < end ? .open(expiresAt: Fixture.moment(end)) : .ended(.expired)
    }

    mutating func bind(_ number: PhoneNumber?) -> Reply {
        guard outcome == .possessionRequired else { return .stepNotAllowed }
        if let number, setup.claimed == nil || setup.claimed == number { pass(.customer, number); return .ok }
        bindTriesLeft -= 1
        if bindTriesLeft == 0 { end(.failed) }
        return .ok
    }

    mutating func sandbox(_ succeeds: Bool) {
        guard spot.place != .done else { return }
        if succeeds { pass(.assumed, spot.number ?? Fixture.laney) } else { end(.failed) }
    }
}
