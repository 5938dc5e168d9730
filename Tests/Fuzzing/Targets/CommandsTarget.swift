@testable import Engine
@testable import Possession
internal import Text
@testable import Tokens

extension FuzzTarget {
    /// Commands on one session, drawn from the input: three bytes each. A rule takes any of them, at any time of the session.
    ///
    /// A command that is run again on the same session does the same, as a storage engine may run it again. A refusal that is
    /// thrown has changed nothing, and the session holds its invariants.
    static let commands = FuzzTarget("commands", maxBytes: 192) { bytes in
        var choices = Choices(bytes)
        var play = CommandPlay(&choices)
        while !choices.rest.isEmpty { play.next(&choices) }
    }
}

/// A session, and the time at which it gets its next command.
private struct CommandPlay {
    private var session: Session
    private var now = Timestamp(milliseconds: 1_767_265_200_000)
    /// Numbers of ids and random values, so that each is another.
    private var count: UInt64 = 0
    private let context: RuleContext
    private var attempt: AttemptID?

    /// The first two bytes choose the policy and the limits.
    init(_ choices: inout Choices) {
        let (traits, checks) = (choices.byte(), choices.byte())
        let bit = { (place: Int) in traits >> place & 1 == 1 }
        var limits = Limits()
        if bit(0) { limits.overSessions = Limits.OverSessions() }
        let rules = Rules(limits: limits, capabilities: .init(mobileAuth: true))
        context = RuleContext(rules, Self.server)
        let number =
            bit(1) ? nil : PhoneNumber(e164: "+12001004014").map { SubmittedNumber(asSent: $0.e164, number: $0) }
        guard let product = ProductName("unify"), let client = ClientID("acme"),
            let policy = try? Policy(
                product: product, checks: Policy.Checks(rawValue: UInt8(checks & 15)),
                code: Policy.Code(
                    length: 4 + (checks >> 4) % 7, lifetimeSeconds: 120, tries: bit(2) ? 3 : 1, mayChangeNumber: bit(3)),
                link: Policy.Link(lifetimeSeconds: 180, waitSeconds: 300, mayChangeNumber: bit(3)), sends: 3,
                numberEntries: bit(3) ? 3 : 1, resultLifetimeSeconds: 3600, isFoundByNumber: bit(4),
                tellsNothingOfMessages: bit(5))
        else { fatalError("does not hold: the policy of the target is one") }
        session = Session(
            correlationID: CorrelationID(high: 0x1900_0000_0000_7000, low: 1),
            authID: AuthID(high: 0x1900_0000_0000_7001, low: 1), clientID: client,
            request: SessionRequest(
                flow: bit(6) ? .desktop : .mobile, policy: policy, subject: .init(number: number),
                options: .init(rebind: bit(7), exchange: bit(4) ? .init(challenge: nil) : nil), references: .init()),
            at: now, limits: limits)
    }

    mutating func next(_ choices: inout Choices) {
        let (kind, value, seconds) = (choices.byte(), choices.byte(), choices.byte())
        now = now.adding(.seconds(seconds < 128 ? seconds : (seconds - 128) * 16))
        var command = SessionCommand(action(kind % 13, value))
        switch kind / 13 % 5 {
        case 0:
            command.redemption = redemption(value)
            command.begins = true
        case 1: command.condition = .created
        case 2: command.condition = .codeIsOld(seconds: value, isRefused: value & 1 == 0)
        case 3: command.condition = session.currentTarget.map { .codeHasExpired($0) } ?? .always
        default: break
        }
        if case .next? = command.request?.order { command.begins = true }
        let caller: Session.Binding = value & 1 == 0 ? .bearer : .backend
        let first = run(command, by: caller)
        let again = run(command, by: caller)
        require(
            first.session == again.session && first.outcome == again.outcome,
            "a command that is run again does the same")
        require(
            first.message == again.message && first.names == again.names, "a command that is run again sends the same")
        require("\(command)" == "a command on a session", "codes and tokens are never printed")
        // An expiry has a revision of its own, before that of the command.
        var expired = session
        expired.expire(at: now)
        let broken = first.session.brokenInvariant(since: expired)
        require(broken == nil, "a session holds its invariants: \(String(describing: broken))")
        require(!first.isThrown || first.session.state == expired.state, "a refusal that is thrown has changed nothing")
        session = first.session.asStored
    }

    private struct Result {
        let session: Session
        let outcome: String
        let message: OutboundMessage?
        let names: [SessionName]
        let isThrown: Bool
    }

    private func run(_ command: SessionCommand, by caller: Session.Binding) -> Result {
        var change = SessionChange(
            session: session, deviceKey: nil, proof: .new, tenantIsRevoked: false, earlierReply: nil)
        let deviceID = DeviceID(high: 1, low: 2)
        var (outcome, isThrown) = ("", false)
        do throws(StepRefusal) {
            outcome = try change.apply(at: now, limits: context.rules.limits, freshDeviceID: deviceID) {
                (change) throws(StepRefusal) in
                if !command.begins || change.session.binding != .unbound,
                    let refusal = try change.session.admit(caller, at: now)
                {
                    return "\(refusal)"
                }
                return "\(try change.apply(command, by: caller, in: context, at: now))"
            }
        } catch { (outcome, isThrown) = ("\(error)", true) }
        return Result(
            session: change.session, outcome: outcome, message: change.message, names: change.names, isThrown: isThrown)
    }

    private mutating func action(_ kind: Int, _ value: Int) -> SessionCommand.Action {
        switch kind {
        case 0: return .read
        case 1: return .nothing
        case 2: return .sendCode(request(value), code(value), by: value & 64 == 0 ? nil : .voice)
        case 3: return .relayCode(request(value), Self.digits, isConfirmed: value & 64 == 0)
        case 4:
            let link = DrawnLink(token: "token", digest: LinkDigest(bytes(32)), matchCode: "42")
            return .sendLink(request(value), link, browser: nil)
        case 5: return .checkCode(value & 2 == 0 ? Self.digits : nil, from: nil, paying: nil, isTyped: value & 4 == 0)
        case 6: return .redeemExchange(ExchangeDigest(bytes(32)), verifiedBy: nil, isNamed: value & 2 == 0)
        case 7: return .proveDevice(nil, next: bytes(32))
        case 8:
            guard let attempt = AttemptID(bytes(16)) else { return .read }
            self.attempt = attempt
            return .beginMobileAuth(attempt, ticket: TicketDigest(bytes(32)))
        case 9:
            return .finishMobileAuth(value & 2 == 0 ? attempt : nil, fingerprint: value & 4 == 0 ? nil : "x", from: nil)
        case 10: return .endMobileAuth(thatIsOver: session.mobileAuth)
        case 11: return .vouch
        default: return .cancel(refusesOver: value & 2 == 0)
        }
    }

    private mutating func request(_ value: Int) -> MessageRequest {
        let named = PhoneNumber(e164: "+12001004017").map { MessageRequest.NamedNumber(result: .success($0)) }
        let order: MessageRequest.Order =
            switch value >> 1 & 3 {
            case 0: .next
            case 1: .first(value & 8 == 0 ? nil : named)
            case 2: .again
            default: named.map { .toNumber($0) } ?? .again
            }
        count += 1
        return MessageRequest(
            id: MessageID(high: 3, low: count), order: order,
            address: IPAddress(value & 16 == 0 ? "192.0.2.7" : "2001:db8::7"),
            languages: nil, isAskedByBackend: value & 1 == 1)
    }

    private mutating func code(_ value: Int) -> DrawnCode {
        DrawnCode(digits: Self.digits, unmatchable: OTPDigest(bytes(32)), own: value & 32 == 0 ? nil : Self.digits)
    }

    private func redemption(_ value: Int) -> SessionCommand.Redemption {
        let declaration = Session.Declaration(
            platform: value & 2 == 0 ? .ios : .web, fallback: value & 4 == 0 ? .otp : .link, deviceKey: value & 8 == 0,
            cellular: value & 16 == 0 ? .yes : .no)
        return .init(declaration: declaration, challenge: [UInt8](repeating: 7, count: 32), languages: nil)
    }

    private mutating func bytes(_ size: Int) -> [UInt8] {
        count += 1
        return (0..<size).map { UInt8(truncatingIfNeeded: count &* 0x9E37_79B9_7F4A_7C15 >> UInt64($0 % 8 * 8)) }
    }

    private static let digits: OTP = {
        guard let code = OTP("1234567890") else { fatalError("does not hold: ten digits are a code") }
        return code
    }()

    private static let server: RuleContext.Server = {
        guard let key = MasterKey([UInt8](repeating: 1, count: 32)), let keyed = try? KeyedDigests(key) else {
            fatalError("does not hold: 32 bytes are a key")
        }
        let silent = SilentCodes(fingerprint: { _ in nil }, code: { _, _, length in digits.prefix(length) })
        return RuleContext.Server(
            keyed: keyed, silentCodes: silent, country: { _ in "US" }, linkURL: "https://holdfast.example")
    }()
}
