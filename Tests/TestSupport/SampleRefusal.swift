package import Engine
internal import Possession

/// Refusals of messages, one of each kind, and of the kinds that surfaces answer by what they carry.
package enum SampleRefusal: String, CaseIterable, Sendable {
    case malformedNumber, numberNotServed, lineRefused, countryClosed, codeTooShort, pageRefused, callbackRefused
    case startsLimited, retryKeyReused, clientRevoked, noSession, overFailed, overExpired, overSucceeded, notAwaited
    case sendsUsedUp, numberLimited, addressLimited, budgetLimited, notDelivered, numberUnreachable, overloaded, failed

    package var refusal: SendRefusal {
        let open = Self.session()
        return switch self {
        case .malformedNumber: .malformedNumber
        case .numberNotServed: .numberNotServed(reason: "is of nobody")
        case .lineRefused: .lineRefused(reason: "is a payphone")
        case .countryClosed: .countryClosed
        case .codeTooShort: .codeTooShort(reason: "is short")
        case .pageRefused: .pageRefused(reason: "is not registered")
        case .callbackRefused: .callbackRefused(reason: "is of no endpoint")
        case .startsLimited: .startsLimited(LimitHit(.startsPerAddress, retryAfterSeconds: 7))
        case .retryKeyReused: .retryKeyReused
        case .clientRevoked: .clientRevoked
        case .noSession: .noSession
        case .overFailed: .over(Self.session(ended: .failed), secondsLeft: 9)
        case .overExpired: .over(Self.session(ended: .expired), secondsLeft: nil)
        case .overSucceeded: .over(Self.session(ended: .succeeded), secondsLeft: 9)
        case .notAwaited: .notAwaited(open)
        case .sendsUsedUp: .sendsUsedUp(open, secondsLeft: 9)
        case .numberLimited: .sendLimited(LimitHit(.sendsPerNumber, retryAfterSeconds: 7), open)
        case .addressLimited: .sendLimited(LimitHit(.sendsPerAddress, retryAfterSeconds: 7), open)
        case .budgetLimited: .sendLimited(LimitHit(.budget, retryAfterSeconds: 7), open)
        case .notDelivered: .notDelivered(reason: .busy, open)
        case .numberUnreachable: .notDelivered(reason: .number, open)
        case .overloaded: .engine(.overloaded)
        case .failed: .engine(.failed("storage: broken"))
        }
    }

    /// The samples of a refusal's kind. A new kind does not compile until it has a sample here, and each surface then needs its row.
    private static func samples(like refusal: SendRefusal) -> [SampleRefusal] {
        switch refusal {
        case .malformedNumber: [.malformedNumber]
        case .numberNotServed: [.numberNotServed]
        case .lineRefused: [.lineRefused]
        case .countryClosed: [.countryClosed]
        case .codeTooShort: [.codeTooShort]
        case .pageRefused: [.pageRefused]
        case .callbackRefused: [.callbackRefused]
        case .startsLimited: [.startsLimited]
        case .retryKeyReused: [.retryKeyReused]
        case .clientRevoked: [.clientRevoked]
        case .noSession: [.noSession]
        case .over: [.overFailed, .overExpired, .overSucceeded]
        case .notAwaited: [.notAwaited]
        case .sendsUsedUp: [.sendsUsedUp]
        case .sendLimited: [.numberLimited, .addressLimited, .budgetLimited]
        case .notDelivered: [.notDelivered, .numberUnreachable]
        case .engine: [.overloaded, .failed]
        }
    }

    /// Samples and their answers in a surface: `name status code`, one a line.
    package static func answers(_ answer: (SendRefusal) -> (status: Int, code: String)) -> String {
        allCases.map { sample in
            precondition(samples(like: sample.refusal).contains(sample), "a sample of another kind")
            let answer = answer(sample.refusal)
            return "\(sample.rawValue) \(answer.status) \(answer.code)"
        }.joined(separator: "\n")
    }

    private static func session(ended outcome: Session.Outcome? = nil) -> Session {
        let now = Timestamp(milliseconds: 1_767_265_200_000)
        let number = PhoneNumber(e164: "+12001004014")!
        let session = Session(
            correlationID: CorrelationID(at: now, random: 1), authID: AuthID(at: now, random: 2),
            clientID: ClientID("sandbox")!,
            request: SessionRequest(
                flow: .mobile, policy: .standard(),
                subject: .init(number: SubmittedNumber(asSent: number.e164, number: number)), options: .init(),
                references: .init()),
            at: now, limits: Limits())
        guard let outcome else { return session }
        var state = session.state
        state.phase = .done(outcome, at: now)
        return Session(
            correlationID: session.correlationID, authID: session.authID, clientID: session.clientID,
            createdAt: session.createdAt, expiresAt: session.expiresAt, request: session.request, flowDigest: nil,
            state: state, eventCount: 1)
    }
}
