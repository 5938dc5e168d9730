@testable import Engine
@testable import Possession

/// Values the tests share: one moment, one number, one tenant, and digests that are easy to see through.
enum Fixture {
    static let start = Timestamp(seconds: 1_790_000_000)
    static let lorant = number("+12001004014")
    static let laney = number("+12001004015")
    static let limits = Limits()
    static let rules = Rules(limits: limits)
    /// Mobile Auth runs, and a client's wish for test mode is heard.
    static let withMobileAuth = Rules(limits: limits, capabilities: .init(mobileAuth: true, testMode: true))
    /// Every number that is asked about is in bad standing.
    static let withBadReputation = Rules(
        limits: limits, capabilities: .init(mobileAuth: true),
        reputation: { _ in Reputation(failureReasons: [simSwap]) })
    static let simSwap = Reputation.Reason(code: "9133", text: "low SIM trust score")
    static let clientID = ClientID("sandbox")!

    static func number(_ text: String) -> PhoneNumber { PhoneNumber(e164: text)! }

    /// A digest anyone can compute: code, session and target as text, padded to 32 bytes.
    static let digest: @Sendable (OTP, AuthID, Target) -> OTPDigest = { code, session, target in
        var bytes = Array((code.text + target.canonical + session.text.suffix(4)).utf8.prefix(32))
        bytes += [UInt8](repeating: 0, count: 32 - bytes.count)
        return OTPDigest(bytes)
    }

    static let issue: Session.CodeIssuer = { session, target, length in
        let code = OTP(String("1234567890".prefix(length)))!
        return Session.IssuedCode(shown: code, expected: digest(code, session, target))
    }

    /// Wishes of a test for a session: the options, and the values that its policy is made from.
    @dynamicMemberLookup struct Wishes {
        var options = SessionRequest.Options()
        var allowOTPRetry = false
        var allowPhoneChange = false
        var mobileAuth = false
        var prefill: Policy.Prefill?

        subscript<Value>(dynamicMember path: WritableKeyPath<SessionRequest.Options, Value>) -> Value {
            get { options[keyPath: path] }
            set { options[keyPath: path] = newValue }
        }

        var policy: Policy {
            var product = Product(ProductName(known: "unify"), number: .optional)
            product.prefill = prefill
            var order = PlatformService.SessionOrder(product, flow: .mobile)
            order.allowOTPRetry = allowOTPRetry
            order.codeTemplate = options.codeTemplate
            if !mobileAuth { order.checks.remove(.mobileAuth) }
            return try! Policy(order, order.checks, TenantRules(allowPhoneChange: allowPhoneChange), Fixture.limits)
        }
    }

    static func request(
        _ flow: SessionRequest.Flow = .mobile, number: PhoneNumber? = lorant, mailbox: EmailAddress? = nil,
        ipAddress: String? = nil,
        _ change: (inout Wishes) -> Void = { _ in }
    ) -> SessionRequest {
        var wishes = Wishes()
        change(&wishes)
        return SessionRequest(
            flow: flow, policy: wishes.policy,
            subject: .init(
                number: mailbox == nil
                    ? number.map { SubmittedNumber(asSent: String($0.e164.dropFirst(2)), number: $0) } : nil,
                mailbox: mailbox, ipAddress: ipAddress),
            options: wishes.options, references: .init(clientRequestID: "request-1"))
    }

    static func session(_ request: SessionRequest = request(), at now: Timestamp = start) -> Session {
        Session(
            correlationID: CorrelationID(at: now, random: 1), authID: AuthID(at: now, random: 2), clientID: clientID,
            request: request, at: now, limits: limits)
    }

    static func declaration(
        fallback: Session.Declaration.Fallback? = .otp, deviceKey: Bool = false, platform: Platform = .web,
        cellular: Session.Declaration.Cellular = .no, testMode: Bool = false, mobileAuthReturnURL: String? = nil
    ) -> Session.Declaration {
        Session.Declaration(
            platform: platform, fallback: fallback, deviceKey: deviceKey, cellular: cellular, testMode: testMode,
            mobileAuthReturnURL: mobileAuthReturnURL)
    }

    /// A session whose client has come, by a first key.
    static func redeemed(
        _ request: SessionRequest = request(), fallback: Session.Declaration.Fallback? = .otp, deviceKey: Bool = false,
        platform: Platform = .web, cellular: Session.Declaration.Cellular = .no, rules: Rules = rules
    ) -> Session {
        var session = session(request)
        try! session.redeem(
            declaration(fallback: fallback, deviceKey: deviceKey, platform: platform, cellular: cellular),
            by: .key(sessionKey), challenge: challenge(1), at: start, rules: rules)
        return session
    }

    /// A session that waits for the code 1234.
    static func waiting(_ change: (inout Fixture.Wishes) -> Void = { _ in }) -> Session {
        var session = redeemed(request(.mobile, change))
        _ = try! session.sendCode(.first(nil), issue: issue, at: start, rules: rules)
        return session
    }

    static let sessionKey = Thumbprint([UInt8](repeating: 7, count: 32))!
    static func challenge(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
}

extension Session {
    /// As a store reads it back, with a timeline of that length.
    func stored(eventCount: Int) -> Session {
        Session(
            correlationID: correlationID, authID: authID, clientID: clientID, createdAt: createdAt,
            expiresAt: expiresAt, request: request, flowDigest: flowDigest, state: state, eventCount: eventCount)
    }

    /// Submits a code as a client would, and names the refusal if there is one.
    mutating func submit(_ code: String, after seconds: Int = 1) -> StepRefusal? {
        do throws(StepRefusal) {
            return try verifyOTP(
                { Fixture.digest(OTP(code)!, $0, $1) }, at: Fixture.start.adding(.seconds(seconds)),
                rules: Fixture.rules
            ).refusal
        } catch {
            return error
        }
    }
}

extension StepOutcome {
    var refusal: StepRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

/// The refusal a step ends in, thrown or not; `nil` when it passes.
func refusal(_ body: () throws(StepRefusal) -> StepOutcome) -> StepRefusal? {
    do throws(StepRefusal) { return try body().refusal } catch { return error }
}

/// The refusal a call ends in; `nil` when it passes.
func refusal<Value>(_ body: () throws(StepRefusal) -> Value) -> StepRefusal? {
    do throws(StepRefusal) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// A small reproducible generator (SplitMix64), so that a failing run can be played again from its printed seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
