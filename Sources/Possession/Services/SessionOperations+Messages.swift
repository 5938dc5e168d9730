package import Text

/// Codes and links.
extension SessionOperations {
    /// Which message is asked for.
    package enum MessageOrder: Sendable {
        case first(NamedNumber?)
        case again
        case toNumber(NamedNumber)

        fileprivate var number: PhoneNumber? {
            switch self {
            case .first(let named): try? named?.result.get()
            case .again: nil
            case .toNumber(let named): try? named.result.get()
            }
        }
    }

    /// A number that was named for a session, as far as it may get a message. What is wrong with it is told only where
    /// the session takes a number at all.
    package struct NamedNumber: Sendable {
        fileprivate let result: Result<PhoneNumber, ClientRefusal>
    }

    /// Reads a number as it was written.
    /// - Parameter rules: what the session's tenant has been allowed.
    package func read(number text: String, _ rules: TenantRules) -> NamedNumber {
        let number: PhoneNumber
        do throws(NumberRefusal) { number = try engine.numbers.read(text).number } catch {
            switch error {
            case .malformed: return NamedNumber(result: .failure(.phoneNumberInvalid))
            case .notServed(let reason), .otherProduct(let reason):
                return NamedNumber(result: .failure(.phoneNumberNotAllowed(reason: reason)))
            case .refusedKind(let reason):
                return NamedNumber(result: .failure(.phoneNumberNotAllowed(reason: "it \(reason)")))
            }
        }
        guard engine.numbers.mayMessage(number, by: rules) else {
            return NamedNumber(
                result: .failure(.phoneNumberNotAllowed(reason: "its country is not open to this client")))
        }
        return NamedNumber(result: .success(number))
    }

    /// Sends a code (client protocol 4.8).
    /// - Parameters:
    ///   - address: of whoever asks, where it is known: messages count under it if the backend named none.
    ///   - languages: that the person reads, where the call says it.
    package func sendCode(
        _ order: MessageOrder, from address: IPAddress?, languages: Languages? = nil
    ) throws(EngineFault) -> SessionOperation {
        let issue = try codeIssuer()
        return try send(.code, order, from: address) { (session, order, now, rules) throws(ClientRefusal) in
            let message = try session.sendCode(order, issue: issue(session.clientID, now), at: now, rules: rules)
            session.note(languages)
            return message
        }
    }

    /// Sends an instant link (client protocol 4.9).
    /// - Parameters:
    ///   - browser: the one that waits, in words.
    ///   - address: as in `sendCode`.
    ///   - languages: likewise.
    package func sendLink(
        _ order: MessageOrder, browser: String?, from address: IPAddress?, languages: Languages? = nil
    ) throws(EngineFault) -> SessionOperation {
        let token = engine.keyed.text(try random(16))
        let digest = engine.keyed.link(token)
        let matchCode: String
        do throws(EntropyFault) { matchCode = try OTP.digits(2, from: engine.randomBytes) } catch {
            throw EngineFault(error)
        }
        return try send(.link, order, from: address) { (session, order, now, rules) throws(ClientRefusal) in
            let link = Session.IssuedLink(
                token: token, digest: digest, matchCode: session.request.options.linkMatchCode ? matchCode : nil)
            let message = try session.sendLink(order, link: link, browser: browser, at: now, rules: rules)
            session.note(languages)
            return message
        }
    }

    private typealias SendRule =
        @Sendable (inout Session, Session.SendOrder, Timestamp, Rules) throws(ClientRefusal) -> Session.PendingMessage

    private func send(
        _ kind: Session.MessageKind, _ order: MessageOrder, from address: IPAddress?, _ rule: @escaping SendRule
    ) throws(EngineFault) -> SessionOperation {
        let id: MessageID
        do { id = try engine.fresh(MessageID.self, at: engine.now()) } catch { throw EngineFault(error) }
        let subject = subject(kind, address)
        let named = order.number
        let keys = limitKeys { session, _ in
            (named ?? session.currentNumber).flatMap { subject(session, $0) }?.allKeys ?? []
        }
        let judged = { @Sendable (session: Session) -> JudgedNumber? in
            (named ?? session.currentNumber).map { .number($0) }
        }
        return SessionOperation(
            limitKeys: keys, judged: engine.rules.standingStopsSends ? judged : nil
        ) { (change, _, now, rules) throws(ClientRefusal) in
            let result = try change.send(at: now, rules: rules, subject) { (session) throws(ClientRefusal) in
                switch order {
                case .first(let named): return try rule(&session, .first(try named?.result.get()), now, rules)
                case .again: return try rule(&session, .again, now, rules)
                case .toNumber(let named):
                    // The step comes first: a change that is not allowed says so whatever the number is.
                    if let refusal = session.refusalOfNumberChange(kind) { throw refusal }
                    return try rule(&session, .toNumber(try named.result.get()), now, rules)
                }
            }
            switch result {
            case .success(nil): return .done
            case .success(let pending?):
                let message = OutboundMessage(id: id, correlationID: change.session.correlationID, pending: pending)
                change.message = message
                return .send(message)
            case .failure(let refusal): return .refused(refusal)
            }
        }
    }

    /// Under what a message counts.
    func subject(
        _ kind: Session.MessageKind, _ address: IPAddress?, isAutomatic: Bool = false
    ) -> @Sendable (Session, PhoneNumber) -> SessionChange.SendSubject? {
        let (engine, numbers) = (engine, engine.numbers)
        return { session, number in
            SessionChange.SendSubject(
                number: number, kind: kind, tenant: session.clientID,
                address: session.request.subject.ipAddress.flatMap { IPAddress($0) } ?? address,
                country: numbers.country(of: number),
                isNeverSentTo: engine.testNumber(number, of: session.clientID, at: engine.now()) != nil,
                isAutomatic: isAutomatic)
        }
    }

    /// Codes are drawn before the transaction. For a code that must not pass the awaited digest is random, and nothing
    /// matches it.
    private func codeIssuer() throws(EngineFault) -> @Sendable (ClientID, Timestamp) -> Session.CodeIssuer {
        let unmatchable = OTPDigest(try random(32))
        let drawn: OTP
        do throws(EntropyFault) { drawn = try OTP.random(length: 10, from: engine.randomBytes) } catch {
            throw EngineFault(error)
        }
        let engine = engine
        return { tenant, now in
            { session, number, length in
                if let test = engine.testNumber(number, of: tenant, at: now) {
                    let shown = test.shown(length: length)
                    return Session.IssuedCode(shown: shown, expected: engine.keyed.testOTP(shown, session))
                }
                let code = engine.codes.code(for: number, drawn: drawn.prefix(length))
                return Session.IssuedCode(
                    shown: code.shown,
                    expected: code.passes ? engine.keyed.otp(code.shown, session, number) : unmatchable)
            }
        }
    }
}
