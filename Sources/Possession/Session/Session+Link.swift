package import Text

/// The instant link in a session (client protocol 4.9). Opening the link proves the phone. The waiting browser learns
/// the result from the session.
extension Session {
    /// Known facts about the phone that approves.
    package struct ApprovingPhone: Sendable {
        /// The phone's address, compared with the address of the waiting browser that the backend gave.
        package let address: IPAddress?
        /// It is known to be a different phone (`NumberTraits`).
        package let isOtherPhone: Bool

        package init(address: IPAddress?, isOtherPhone: Bool = false) {
            self.address = address
            self.isOtherPhone = isOtherPhone
        }
    }

    /// The status of a link of this session. Changes nothing.
    package func linkStatus(_ digest: LinkDigest, at now: Timestamp) -> LinkStatus {
        guard digest == link.digest else { return .superseded }
        switch phase {
        case .done(.succeeded, _): return .ended(request.options.exchange == nil ? .approved : .used)
        case .done:
            switch link.state {
            case .failed(.denied): return .ended(.denied)
            case .expired, .closed: return .ended(.expired)
            case .idle where outcome == .expired: return .ended(.expired)
            case .idle, .waiting, .passed, .failed: return .ended(.failed)
            }
        case .created, .active:
            guard let expiresAt = linkEnd, now < expiresAt else { return .ended(.expired) }
            return .open(expiresAt: expiresAt)
        }
    }

    /// When the newest link expires; `nil`: it does not open.
    private var linkEnd: Timestamp? {
        switch phase {
        case .active(.linkWait): link.expiresAt
        case .active(.otpFinish) where otp.isWaiting: otp.expiresAt.map { min(expiresAt, $0) }
        default: nil
        }
    }

    package enum LinkStatus: Sendable, Equatable {
        case open(expiresAt: Timestamp)
        case ended(LinkEnding.Reason)
        case superseded
    }

    /// Applies the holder's decision. Only the newest link can decide, and only while it is open; any other changes
    /// nothing.
    /// - Parameter code: the code that an approval gives to the browser, if links give codes. Without one an approval
    ///   changes nothing there.
    /// - Returns: `false` if the match code must be entered again, or if the holder must choose a person.
    package mutating func decideLink(
        _ digest: LinkDigest, _ decision: LinkDecision, by phone: ApprovingPhone, giving code: ExchangeDigest? = nil,
        at now: Timestamp, rules: Rules
    ) -> Bool {
        guard case .open = linkStatus(digest, at: now) else { return true }
        switch decision {
        case .deny:
            record(.linkDenied, at: now)
            endLink(.denied, at: now, detail: "link_denied")
        case .play(let number):
            guard isPlayed else { return false }
            enteredNumber = number
            approve(by: phone, giving: code, at: now, rules: rules)
        case .approve(let matchCode):
            // In a sandbox the holder must choose a person.
            guard !isPlayed || code == nil else { return false }
            if let expected = link.matchCode {
                guard let matchCode, Self.isMatchCode(matchCode) else { return false }
                guard matchCode == expected else {
                    refuseApproval(.wrongMatchCode, at: now, detail: "link_match_code")
                    return true
                }
            }
            approve(by: phone, giving: code, at: now, rules: rules)
        }
        return true
    }

    private mutating func approve(
        by phone: ApprovingPhone, giving code: ExchangeDigest?, at now: Timestamp, rules: Rules
    ) {
        let expected = request.subject.address
        let agrees: Bool? =
            if let expected, let address = phone.address { expected == address } else { nil }
        link.compareAddresses(agrees)
        if request.options.linkNeedsSameAddress, agrees != true {
            return refuseApproval(.addressMismatch, at: now, detail: "link_ip_mismatch")
        }
        if phone.isOtherPhone {
            return refuseApproval(.phoneMismatch, at: now, detail: "link_phone_mismatch")
        }
        if request.options.exchange != nil {
            if let code { giveExchangeCode(code, at: now) }
            return
        }
        guard let target = currentTarget else { return }
        link.pass()
        record(.linkApproved, at: now, detail: agrees.map { $0 ? "ip_match" : "ip_mismatch" } ?? "ip_unknown")
        succeed(by: .instantLink, target, at: now, rules: rules)
    }

    /// Refuses an approval because too many links to this number were refused recently.
    mutating func refuseApprovalByLimit(at now: Timestamp) {
        refuseApproval(.denied, at: now, detail: "number_limit")
    }

    private mutating func refuseApproval(_ failure: LinkCheck.Failure, at now: Timestamp, detail: String) {
        record(.linkApprovalRefused, at: now, detail: detail)
        endLink(failure, at: now, detail: detail)
    }

    private mutating func endLink(_ failure: LinkCheck.Failure, at now: Timestamp, detail: String) {
        link.fail(failure)
        fail(at: now, detail: detail)
    }

    static func isMatchCode(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
    }
}
