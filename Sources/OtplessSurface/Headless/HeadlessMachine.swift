internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Runs the requests of apps. One state has one request after another; the machine chooses the next way to prove each.
struct HeadlessMachine: Sendable {
    let verifications: OtplessVerifications
    let silent: OtplessSilent
    let identities: IdentityTokens

    // MARK: Begin

    /// Begins a new request, or one that the backend has created: asks the phone's operator, or sends a code.
    func begin(_ intent: Intent, for app: StartedApp, _ request: Request) async throws(OtplessError) -> Transaction {
        try OtplessVerifications.check(intent.appHash, of: app.tenant)
        let isSilent = intent.way == .silent || intent.beginsSilently && silent.isThere(for: app.tenant)
        if let id = intent.requestID {
            let created = try await verifications.created(id, for: app.tenant)
            request.note(created.correlationID)
            guard try intent.target(by: verifications, for: app.tenant).agrees(with: created) else {
                throw .field(FieldDefect(intent.targetField, "is not that of the request which requestId names"))
            }
            let hash = intent.hash(of: app)
            if isSilent, created.currentNumber != nil {
                return asked(
                    try await silent.begin(
                        created: created, platform: hash == nil ? .ios : .android, appHash: hash, for: app), request)
            }
            guard let message = try await verifications.sendCode(of: created, appHash: hash, for: app) else {
                throw .unknownRequest
            }
            return try await sent(message, request)
        }
        var order = try intent.order(by: try channels(intent, of: app), for: app)
        order.link?.challenge = try verifications.challenge(intent.challenge, by: intent.challengeMethod)
        guard isSilent else {
            return try await sent(try await verifications.sendCode(order, for: app), request)
        }
        // An operator knows numbers only, not e-mail addresses.
        guard let number = order.number else { throw intent.kind == .mobile ? .noTarget : .silentUnavailable }
        let wanted = SilentOrder(
            number: number, fallback: order, platform: order.appHash == nil ? .ios : .android, appHash: order.appHash)
        return asked(try await silent.begin(wanted, for: app.tenant, app), request)
    }

    private func asked(_ begun: OtplessSilent.Begun, _ request: Request) -> Transaction {
        request.note(begun.session.correlationID)
        return Transaction(
            session: begun.session, state: .pending, way: .silent, channel: nil, isDelivered: false, link: begun.link)
    }

    /// The channels of the client's order that this server carries, or only the channel that the app has chosen.
    private func channels(_ intent: Intent, of app: StartedApp) throws(OtplessError) -> [OtplessChannel] {
        // A link cannot be opened from a voice call.
        let hasLink = intent.way == .link || intent.way == .codeAndLink
        let known = app.channels.filter { verifications.carries($0) && !(hasLink && $0 == .voice) }.map {
            OtplessChannel($0)
        }
        guard let chosen = intent.channel, intent.kind == .mobile else {
            guard !known.isEmpty || intent.kind == .email else { throw .channelNotEnabled(field: "channel") }
            return known
        }
        guard known.contains(chosen) else { throw .channelNotEnabled(field: "deliveryMethod") }
        return [chosen]
    }

    private func sent(_ message: SentMessage, _ request: Request) async throws(OtplessError) -> Transaction {
        request.note(message.session.correlationID)
        return try await standing(after: message)
    }

    private func standing(after message: SentMessage) async throws(OtplessError) -> Transaction {
        // The app's next status call reads what the carrier reports later.
        if let channel = message.channel {
            return Transaction(
                session: message.session, state: .pending, way: AuthWay.ofMessages(in: message.session),
                channel: OtplessChannel(channel), isDelivered: false)
        }
        return try await standing(of: message.session)
    }

    // MARK: Check

    /// Checks a code that the person typed.
    func check(_ code: String, for app: StartedApp, _ request: Request) async throws(OtplessError) -> Transaction {
        let found = try await newest(of: app, named: nil, request)
        let (checked, session) = try await verifications.check(OTP(TypedText.code(code)), of: found, for: app.tenant)
        switch checked {
        case .passed: return try await standing(of: session)
        case .wrong, .otherTarget: throw .wrongCode
        case .usedUp: throw .checksUsedUp
        case .expired: throw .codeExpired
        case .done: throw .alreadyVerified
        }
    }

    /// Redeems the code that a link brought to the app.
    func redeem(
        _ code: String, _ verifier: String?, for app: StartedApp, _ request: Request
    ) async throws(OtplessError) -> Transaction {
        let session = try await newest(of: app, named: nil, request)
        return try await standing(
            of: try await verifications.redeem(code, verifier: verifier, of: session, for: app.tenant))
    }

    // MARK: Standing

    /// The app's newest request.
    /// - Parameter token: of the request that the app asks about; `nil`: the app does not say.
    func newest(
        of app: StartedApp, named token: String?, _ request: Request
    ) async throws(OtplessError) -> Session {
        let session = try await verifications.find(.named(app.state.name), for: app.tenant)
        request.note(session.correlationID)
        guard token.map({ CorrelationID($0) == session.correlationID }) ?? true else { throw .unknownRequest }
        return session
    }

    /// The standing of a request that waits for a code. Sends the message by the next channel when that is due.
    func codeStanding(of session: Session, for app: StartedApp) async throws(OtplessError) -> Transaction {
        try await standing(
            of: session, try await verifications.messages(movingOnIn: session, untilOneArrives: true, for: app.tenant))
    }

    /// The standing of a request at the operator. If the silent proof has failed, this call sends the code.
    /// - Parameter givesUp: the app no longer waits for the operator.
    func silentStanding(
        of session: Session, givesUp: Bool, for app: StartedApp
    ) async throws(OtplessError) -> SilentStanding {
        switch try await silent.standing(of: session) {
        case .succeeded: return SilentStanding(transaction: try await standing(of: session))
        case .pending where !givesUp:
            return SilentStanding(
                transaction: Transaction(
                    session: session, state: .pending, way: .silent, channel: nil, isDelivered: false))
        case .pending: return try await stepUp(try await silent.giveUp(session), for: app)
        case .failed: return try await stepUp(session, for: app)
        }
    }

    /// Continues with a code after the operator's check.
    private func stepUp(_ session: Session, for app: StartedApp) async throws(OtplessError) -> SilentStanding {
        if session.outcome == .succeeded { return SilentStanding(transaction: try await standing(of: session)) }
        let failed = Transaction(session: session, state: .failed, way: .silent, channel: nil, isDelivered: false)
        guard !session.isDone else { return SilentStanding(transaction: failed) }
        let messages = try await verifications.messages(movingOnIn: session, untilOneArrives: true, for: app.tenant)
        guard messages.isEmpty else {
            return SilentStanding(transaction: failed, next: try await standing(of: session, messages))
        }
        do throws(OtplessError) {
            if let reply = try await verifications.sendCode(of: session, for: app) {
                return SilentStanding(transaction: failed, next: try await standing(after: reply))
            }
        } catch {
            throw error == .notSent ? .everythingFailed : error
        }
        let now = try await verifications.find(.correlation(session.correlationID), for: app.tenant)
        return SilentStanding(transaction: failed, next: try await standing(of: now))
    }

    private func standing(of session: Session) async throws(OtplessError) -> Transaction {
        try await standing(of: session, try await verifications.messages(of: session))
    }

    /// - Throws: `.everythingFailed`: every channel has failed to deliver the code.
    private func standing(
        of session: Session, _ messages: [MessageStanding]
    ) async throws(OtplessError) -> Transaction {
        let state: Transaction.State
        if let person = verifications.person(of: session, messages) {
            state = .succeeded(try await identities.oneTap(of: person))
        } else if session.isDone {
            state = .failed
        } else if messages.last?.isLost ?? false, !messages.contains(where: \.hasArrived) {
            throw .everythingFailed
        } else {
            state = .pending
        }
        return Transaction(
            session: session, state: state, way: AuthWay(session, messages).name,
            channel: OtplessVerifications.channel(of: messages, in: session),
            isDelivered: messages.last?.hasArrived ?? false)
    }
}

/// The standing of a silent proof, and the request that the app continues with if the proof has failed.
struct SilentStanding: Sendable {
    let transaction: Transaction
    var next: Transaction?
}

extension MessageStanding {
    /// Whether the message failed. If another channel has taken it over, that newer message counts.
    fileprivate var isLost: Bool {
        switch state {
        case .queued: false
        case .failed, .expired: true
        case .sent: end == .undelivered || end == .expired
        }
    }
}
