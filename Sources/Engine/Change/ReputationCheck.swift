package import Possession

/// How this server learns the standing of numbers, and what it does if a standing is unknown.
package struct ReputationCheck: Sendable {
    /// How an unknown standing counts.
    package enum WhenUnknown: String, Sendable, CaseIterable { case pass, fail }

    package let source: any ReputationSource
    package let whenUnknown: WhenUnknown
    /// The policy's words for an unknown standing.
    package let unknown: Reputation.Reason
    /// Whether a bad standing stops a message (OTP-16). If not, the checks run, and only the result is a failure
    /// (contract section 8).
    package let stopsSends: Bool

    package init(
        _ source: any ReputationSource, whenUnknown: WhenUnknown = .fail,
        unknown: Reputation.Reason = Reputation.Reason(code: "unknown", text: "standing not known"),
        stopsSends: Bool = false
    ) {
        self.source = source
        self.whenUnknown = whenUnknown
        self.unknown = unknown
        self.stopsSends = stopsSends
    }

    /// The standing of a number that could not be learned.
    func unknownStanding(_ fault: ReputationFault) -> Reputation {
        let reason = Reputation.Reason(code: unknown.code, text: "\(unknown.text): \(fault.explanation)")
        return Reputation(unknown: reason, passes: whenUnknown == .pass, gap: fault.word)
    }

    /// Standings for a rule: the one that was asked for; any other number fails. So if the session's number changes
    /// before the rule runs, it does not pass unchecked, whatever `whenUnknown` is.
    func knowing(_ asked: (number: PhoneNumber, standing: Reputation)?) -> @Sendable (PhoneNumber) -> Reputation {
        let unasked = Reputation(unknown: unknown, passes: false, gap: "not_asked")
        return { number in asked?.number == number ? asked?.standing ?? unasked : unasked }
    }
}

extension Engine {
    /// The rules for a change that may prove a number or send to it, with the standing of that number. The source is
    /// asked before the transaction, which must not wait.
    ///
    ///     let rules = try await engine.rules(of: .auth(id), in: fence) { $0.currentNumber.map { .number($0) } }
    ///
    /// - Parameter judged: the number in question, as far as the session shows; `nil`: the change proves none.
    /// - Throws: `.overloaded`, `.failed`; also if the caller has gone, because nothing is decided without a standing.
    func rules(
        of key: SessionKey, in fence: SessionFence, judging judged: (Session) -> JudgedNumber?
    ) async throws(EngineFault) -> Rules {
        guard network.reputation != nil, let session = try await session(key, in: fence) else { return rules }
        return try await rules(for: session, judging: judged)
    }

    /// As `rules(of:in:judging:)`, for a session that was already read.
    func rules(for session: Session, judging judged: (Session) -> JudgedNumber?) async throws(EngineFault) -> Rules {
        guard let reputation = network.reputation, session.request.options.checkReputation,
            !session.isDone || session.outcome == .possessionRequired, let judged = judged(session),
            let number = try await number(judged, of: session.clientID)
        else { return rules }
        // A test number has no real standing, so it passes.
        guard server.testNumber(number, of: session.clientID, at: now()) == nil else {
            return rules.knowing(reputation.knowing((number, Reputation())))
        }
        let standing = try await standing(number, for: session.clientID, session: session.correlationID)
        return rules.knowing(reputation.knowing((number, standing)))
    }

    private func number(_ judged: JudgedNumber, of tenant: ClientID) async throws(EngineFault) -> PhoneNumber? {
        switch judged {
        case .number(let number): return number
        case .ofKey(let thumbprint):
            do { return try await stores.deviceKeys.deviceKey(thumbprint, of: tenant)?.number } catch {
                throw EngineFault(error)
            }
        }
    }

    /// The current standing of a number. An unknown standing counts as the operator has configured.
    /// - Parameter session: the session that it is asked for.
    /// - Throws: as `rules(of:in:judging:)`.
    func standing(
        _ number: PhoneNumber, for tenant: ClientID, session: CorrelationID? = nil
    ) async throws(EngineFault) -> Reputation {
        guard let reputation = network.reputation else { return Reputation() }
        let knownSince: Timestamp?
        do { knownSince = try await stores.identities.identity(number, of: tenant)?.createdAt } catch {
            throw EngineFault(error)
        }
        do throws(ReputationFault) {
            return try await reputation.source.standing(
                ReputationQuery(number, knownSince: knownSince, session: session))
        } catch {
            switch error {
            case .cancelled: throw .failed("reputation: the caller has gone")
            case .notCovered, .resting: break
            case .timeout: reports.log("reputation of \(number): no answer in time")
            case .failed(let reason): reports.log("reputation of \(number): \(reason)")
            }
            return reputation.unknownStanding(error)
        }
    }
}
