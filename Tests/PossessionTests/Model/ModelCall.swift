@testable import Possession

/// How one session of the model test is set up: flow, declaration, options and server, all drawn at random.
struct ModelSetup {
    let flow: SessionRequest.Flow, fallback: SessionModel.Kind?, platform: Platform
    let cellular: Session.Declaration.Cellular
    let claimed: PhoneNumber?
    let deviceKey, mobileAuth, canMobileAuth, wishesTestMode, isSandbox, hasReturnPage: Bool
    let retries, mayChange, rebind, namesOtherDevice, isBadStanding: Bool
    let matchCode, needsAddress, givesAddress: Bool
    /// Whether links give codes, and whether those come with a verifier.
    let exchange: SessionModel.Exchange?

    init(using generator: inout SeededGenerator) {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        flow = chance(60) ? .mobile : chance(50) ? .desktop : .none
        fallback = chance(15) ? nil : chance(50) ? .code : .link
        platform = chance(40) ? .web : chance(50) ? .ios : .android
        cellular = chance(30) ? .no : chance(50) ? .yes : .unknown
        claimed = chance(70) ? Fixture.lorant : nil
        deviceKey = chance(50)
        mobileAuth = chance(75)
        canMobileAuth = chance(90)
        wishesTestMode = chance(30)
        isSandbox = chance(50)
        hasReturnPage = chance(70)
        retries = chance(60)
        mayChange = chance(60)
        rebind = chance(20)
        namesOtherDevice = chance(15)
        isBadStanding = chance(10)
        exchange = claimed == nil || flow == .none || chance(60) ? nil : chance(50) ? .plain : .challenged
        matchCode = exchange == nil && chance(40)
        needsAddress = chance(30)
        givesAddress = chance(70)
    }

    var request: SessionRequest {
        Fixture.request(flow, number: claimed, ipAddress: givesAddress ? Fixture.desk : nil) {
            $0.allowOTPRetry = retries
            $0.allowPhoneChange = mayChange
            $0.rebind = rebind
            $0.deviceID = namesOtherDevice ? DeviceID(bits: 99) : nil
            $0.checkReputation = isBadStanding
            $0.mobileAuth = mobileAuth
            $0.linkMatchCode = matchCode
            $0.linkNeedsSameAddress = needsAddress
            $0.exchange = exchange.map { .init(challenge: $0 == .challenged ? ModelPlayer.challenge(1) : nil) }
        }
    }

    var declaration: Session.Declaration {
        Session.Declaration(
            platform: platform, fallback: fallback.map { $0 == .code ? .otp : .link }, deviceKey: deviceKey,
            cellular: cellular, testMode: wishesTestMode,
            mobileAuthReturnURL: hasReturnPage ? "https://shop.example/back" : nil)
    }

    var rules: Rules {
        Rules(
            limits: Fixture.limits, capabilities: .init(mobileAuth: canMobileAuth, testMode: isSandbox),
            reputation: { _ in Reputation(failureReasons: [Fixture.simSwap]) })
    }
}

/// One event of the model test. "Old" names an attempt or a message that another one has replaced.
enum ModelCall {
    enum Key: CaseIterable { case fresh, sameNumber, otherNumber, retired, forged }
    enum Print: CaseIterable { case genuine, otherSession, otherKey, otherResult, otherAttempt, unsigned }
    enum Order: CaseIterable { case first, firstNaming, again, toNumber }
    enum Code: CaseIterable { case right, wrong, older }
    enum Address: CaseIterable { case same, other, unknown }
    enum Digits: CaseIterable { case right, wrong, missing }
    /// A code that a link gave: the newest one, one that another tap has replaced, or one that no link gave.
    enum Given: CaseIterable { case newest, older, forged }
    enum Verifier: CaseIterable { case right, wrong, missing }
    struct Answer {
        var isNewest = true, approves = true, digits = Digits.right, address = Address.same, isOtherPhone = false
    }

    case redeem, stranger, cancel
    case device(Key)
    case begin
    case go(isCurrent: Bool, rightTicket: Bool, knownNetwork: Bool)
    case comeBack(isCurrent: Bool, sameAddress: Bool)
    case answer(isCurrent: Bool, SessionModel.Verdict)
    case finish(isCurrent: Bool, Print)
    case giveUp(isCurrent: Bool)
    case send(SessionModel.Kind, Order)
    case refused(isNewest: Bool)
    case code(Code)
    case decide(Answer)
    case exchange(Given, Verifier)
    case bind(right: Bool)
    case sandbox(Bool)
    case wait(Int)

    /// Whether it can prove a number at all.
    var isProof: Bool {
        switch self {
        case .device(let key): key == .sameNumber || key == .otherNumber
        case .finish(let isCurrent, let print): isCurrent && print == .genuine
        case .code(let code): code == .right
        case .decide(let answer): answer.isNewest && answer.approves && !answer.isOtherPhone
        case .exchange(let code, _): code == .newest
        case .bind: true
        case .sandbox(let succeeds): succeeds
        default: false
        }
    }

    /// Half of the calls are what an honest client and its person would do next; the rest is anything.
    static func random(for model: SessionModel, using generator: inout SeededGenerator) -> ModelCall {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        func any<Choice>(_ choices: [Choice]) -> Choice { choices.randomElement(using: &generator)! }
        let verdicts: [SessionModel.Verdict] = [model.setup.claimed == nil ? .found : .agrees]
        if chance(4) { return .wait(chance(50) ? 180 : 420) }
        guard chance(50) else { return anything(for: model, using: &generator) }
        switch model.spot.place {
        case .created: return .redeem
        case .device: return chance(70) ? .device(Key.allCases.randomElement(using: &generator)!) : .begin
        case .mobileAuth:
            switch model.spot.hop {
            case nil: return .begin
            case .offered: return .go(isCurrent: true, rightTicket: true, knownNetwork: chance(90))
            case .travelling: return .comeBack(isCurrent: true, sameAddress: true)
            case .asking: return .answer(isCurrent: true, verdicts[0])
            case .answered: return .finish(isCurrent: true, .genuine)
            case .lost: return .giveUp(isCurrent: true)
            }
        case .first: return .send(model.kind ?? .code, model.setup.claimed == nil ? .firstNaming : .first)
        case .waiting:
            if chance(40) { return .send(model.kind ?? .code, chance(50) ? .again : .toNumber) }
            if let exchange = model.setup.exchange, chance(70) {
                guard model.given != nil, chance(60) else { return .decide(Answer()) }
                return chance(50)
                    ? .wait(any([1, 58, 59, 60])) : .exchange(.newest, exchange == .plain ? .missing : .right)
            }
            return model.kind == .code ? .code(chance(30) ? .right : .wrong) : .decide(Answer())
        case .done: return .bind(right: chance(40))
        }
    }

    private static func anything(for model: SessionModel, using generator: inout SeededGenerator) -> ModelCall {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        func any<Choice>(_ choices: [Choice]) -> Choice { choices.randomElement(using: &generator)! }
        let verdicts: [SessionModel.Verdict] =
            model.setup.claimed == nil ? [.found, .unavailable] : [.agrees, .differs, .unavailable]
        switch Int.random(in: 0..<32, using: &generator) {
        case 0: return .redeem
        case 1: return .stranger
        case 2: return chance(20) ? .cancel : .wait(1)
        case 3: return chance(20) ? .sandbox(chance(50)) : .wait(1)
        case 4...5: return .device(any(Key.allCases))
        case 6: return .begin
        case 7...8: return .go(isCurrent: chance(70), rightTicket: chance(70), knownNetwork: chance(80))
        case 9...10: return .comeBack(isCurrent: chance(70), sameAddress: chance(60))
        case 11: return .answer(isCurrent: chance(70), any(verdicts))
        case 12...14: return .finish(isCurrent: chance(70), any(Print.allCases))
        case 15: return .giveUp(isCurrent: chance(70))
        case 16...18:
            return .send(chance(70) ? model.kind ?? .link : any(SessionModel.Kind.allCases), any(Order.allCases))
        case 19...20: return .refused(isNewest: chance(70))
        case 21...22: return .code(any(Code.allCases))
        case 23...25:
            return .decide(
                Answer(
                    isNewest: chance(50), approves: chance(70), digits: any(Digits.allCases),
                    address: any(Address.allCases), isOtherPhone: chance(20)))
        case 26: return .bind(right: chance(50))
        case 27...28: return .exchange(any(Given.allCases), any(Verifier.allCases))
        default: return .wait(any([1, 29, 30, 59, 60, 61, 119, 120, 179, 180]))
        }
    }
}
