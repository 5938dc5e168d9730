package import Possession
package import Text

/// Makes commands: draws their random values and reads their numbers, so that a rule is a plain function of its command.
package struct SessionCommands: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// Redeems the token: the first credential binds the session (client protocol 4.3).
    /// - Parameter languages: that the person reads, where the call says it.
    package func redeem(
        _ declaration: Session.Declaration, languages: Languages? = nil
    ) throws(EngineFault) -> SessionCommand {
        try redeem(declaration, languages: languages, then: SessionCommand(.nothing))
    }

    /// The same, and then another command, in one change.
    func redeem(
        _ declaration: Session.Declaration, languages: Languages? = nil, then next: SessionCommand
    ) throws(EngineFault) -> SessionCommand {
        var command = next
        command.redemption = .init(declaration: declaration, challenge: try random(32), languages: languages)
        command.begins = true
        return command
    }

    /// Changes nothing.
    package func read() -> SessionCommand { SessionCommand(.read) }

    /// - Parameter proof: `nil` when its form or signature was bad.
    package func proveDevice(_ proof: DeviceProof?) throws(EngineFault) -> SessionCommand {
        SessionCommand(.proveDevice(proof, next: try random(32)))
    }

    /// As `SessionCommand.Action.checkCode` has it.
    package func checkCode(
        _ code: OTP?, from address: IPAddress? = nil, paying payment: PaymentDigest? = nil, isTyped: Bool = false
    ) -> SessionCommand {
        SessionCommand(.checkCode(code, from: address, paying: payment, isTyped: isTyped))
    }

    /// The backend has made the code, and says that the person knows it.
    func vouch() -> SessionCommand { SessionCommand(.vouch) }

    /// Ends the session. One that is over stays as it is.
    package func cancel() -> SessionCommand { SessionCommand(.cancel(refusesOver: false)) }

    /// Ends the session, also one that is bound to no credential yet. One that is over is refused.
    func end() -> SessionCommand {
        var command = SessionCommand(.cancel(refusesOver: true))
        command.begins = true
        return command
    }

    /// Redeems the code that a link gave to a browser.
    /// - Parameters:
    ///   - verifier: that came with it.
    ///   - isNamed: the call names the session.
    func redeemExchange(_ code: String, verifier: String?, isNamed: Bool) -> SessionCommand {
        SessionCommand(
            .redeemExchange(
                engine.crypto.keyed.exchange(code), verifiedBy: verifier.map { engine.crypto.keyed.challenge($0) },
                isNamed: isNamed))
    }

    // MARK: Messages

    /// Reads a number as a person has typed it.
    /// - Parameter rules: what the session's tenant has been allowed.
    package func read(number text: String, _ rules: TenantRules) -> MessageRequest.NamedNumber {
        let number: PhoneNumber
        do throws(NumberRefusal) { number = try engine.network.numbers.read(typed: text).number } catch {
            switch error {
            case .malformed: return .init(result: .failure(.phoneNumberInvalid))
            case .notServed(let reason), .otherProduct(let reason):
                return .init(result: .failure(.phoneNumberNotAllowed(reason: reason)))
            case .refusedKind(let reason):
                return .init(result: .failure(.phoneNumberNotAllowed(reason: "it \(reason)")))
            }
        }
        switch engine.sendBlock(of: number, by: rules) {
        case nil: return .init(result: .success(number))
        case .country:
            return .init(result: .failure(.phoneNumberNotAllowed(reason: "its country is not open to this client")))
        case .line(let reason): return .init(result: .failure(.phoneNumberNotAllowed(reason: "it \(reason)")))
        }
    }

    /// Sends a code (client protocol 4.8).
    /// - Parameters:
    ///   - address, languages, isAskedByBackend: as `MessageRequest` has them.
    ///   - own: the code that the backend has made; `nil`: one is drawn. A test number keeps its own.
    ///   - channel: the one way that the message takes; `nil`: those of the session's policy.
    package func sendCode(
        _ order: MessageRequest.Order, from address: IPAddress?, languages: Languages? = nil, own: OTP? = nil,
        by channel: OutgoingMessage.Channel? = nil, isAskedByBackend: Bool = false
    ) throws(EngineFault) -> SessionCommand {
        let unmatchable = OTPDigest(try random(32))
        let digits: OTP
        do throws(EntropyFault) { digits = try OTP.random(length: 10, from: engine.crypto.randomBytes) } catch {
            throw EngineFault(error)
        }
        let request = try request(order, from: address, languages, isAskedByBackend: isAskedByBackend)
        let code = DrawnCode(digits: digits, unmatchable: unmatchable, own: own)
        return message(.sendCode(request, code, by: channel), order)
    }

    /// Sends a code that the backend has made and checks itself, as it is.
    /// - Parameters:
    ///   - address: of the person. Where it is not known, the message counts under none: the backend has shown its credentials.
    ///   - isConfirmed: the backend says that the person has proven the number to it before.
    func relayCode(_ code: OTP, from address: IPAddress?, isConfirmed: Bool) throws(EngineFault) -> SessionCommand {
        let request = try request(.next, from: address, nil, isAskedByBackend: true)
        return message(.relayCode(request, code, isConfirmed: isConfirmed), .next)
    }

    /// Sends an instant link (client protocol 4.9).
    /// - Parameters:
    ///   - browser: the one that waits, in words.
    ///   - address, languages, isAskedByBackend: as `MessageRequest` has them.
    package func sendLink(
        _ order: MessageRequest.Order, browser: String?, from address: IPAddress?, languages: Languages? = nil,
        isAskedByBackend: Bool = false
    ) throws(EngineFault) -> SessionCommand {
        let token = engine.crypto.keyed.text(try random(16))
        let matchCode: String
        do throws(EntropyFault) { matchCode = try OTP.digits(2, from: engine.crypto.randomBytes) } catch {
            throw EngineFault(error)
        }
        let request = try request(order, from: address, languages, isAskedByBackend: isAskedByBackend)
        let link = DrawnLink(token: token, digest: engine.crypto.keyed.link(token), matchCode: matchCode)
        return message(.sendLink(request, link, browser: browser), order)
    }

    private func request(
        _ order: MessageRequest.Order, from address: IPAddress?, _ languages: Languages?, isAskedByBackend: Bool
    ) throws(EngineFault) -> MessageRequest {
        let id: MessageID
        do { id = try engine.crypto.fresh(MessageID.self, at: engine.now()) } catch { throw EngineFault(error) }
        return MessageRequest(
            id: id, order: order, address: address, languages: languages, isAskedByBackend: isAskedByBackend)
    }

    private func message(_ action: SessionCommand.Action, _ order: MessageRequest.Order) -> SessionCommand {
        var command = SessionCommand(action)
        if case .next = order { command.begins = true }
        return command
    }

    // MARK: Mobile Auth

    /// Opens a Mobile Auth attempt (client protocol 4.7).
    package func beginMobileAuth() throws(EngineFault) -> SessionCommand {
        guard let attempt = AttemptID(try random(16)) else { throw .failed("random generator") }
        let offer = MobileAuthOffer(attempt: attempt, ticket: engine.crypto.keyed.text(try random(16)))
        var command = SessionCommand(.beginMobileAuth(attempt, ticket: engine.crypto.keyed.ticket(offer.ticket)))
        command.offer = offer
        return command
    }

    /// Ends an attempt: by the fingerprint the chain gave, or, without one, because it gave none. As
    /// `SessionCommand.Action.finishMobileAuth` has it.
    package func finishMobileAuth(
        _ named: AttemptID? = nil, fingerprint: String?, from address: IPAddress?
    ) -> SessionCommand {
        SessionCommand(.finishMobileAuth(named, fingerprint: fingerprint, from: address))
    }

    /// Ends an attempt that is over.
    /// - Parameter seen: as it stood when that was found (`Session.endOfMobileAuth`).
    func endMobileAuth(thatIsOver seen: MobileAuthCheck) -> SessionCommand {
        SessionCommand(.endMobileAuth(thatIsOver: seen))
    }

    /// Ends an attempt by a token of the phone's operator.
    /// - Parameters:
    ///   - carrier: name of an operator that takes tokens of the phone's network.
    ///   - address: as in `finishMobileAuth`.
    package func handInOperatorToken(
        _ token: OperatorToken, of attempt: AttemptID, to carrier: String, from address: IPAddress?
    ) -> SessionCommand {
        SessionCommand(.handInOperatorToken(token, of: attempt, to: carrier, from: address))
    }

    func random(_ count: Int) throws(EngineFault) -> [UInt8] {
        do { return try engine.crypto.randomBytes(count) } catch { throw EngineFault(error) }
    }
}
