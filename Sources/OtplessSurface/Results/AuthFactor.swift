internal import Engine
internal import Possession
internal import SurfaceKit

/// The only factor of a request: its target, its method and its state.
struct AuthFactor: Sendable {
    enum Kind: String, Sendable { case primary = "PRIMARY" }

    enum State: String, Sendable, CaseIterable {
        case pending = "PENDING"
        case success = "SUCCESS"
        case failed = "FAILED"
    }

    /// The reason of a failure.
    struct Failure: Sendable {
        let code: String
        let message: String
        let description: String
    }

    let target: Possession.Target
    let way: AuthWay
    let state: State
    /// The time of the proof; `nil`: the request has not succeeded.
    let provenAt: Timestamp?
    let failure: Failure?

    /// - Parameters:
    ///   - events: the timeline of the session.
    ///   - messages: the messages of the session.
    /// - Returns: `nil`: the session has no target.
    init?(_ session: Session, _ events: [SessionEvent], _ messages: [MessageStanding]) {
        guard let target = session.proof?.target ?? session.currentTarget else { return nil }
        self.target = target
        way = AuthWay(session, messages)
        provenAt = session.outcome == .succeeded ? session.proof?.at : nil
        state = provenAt != nil ? .success : session.isDone ? .failed : .pending
        failure = state == .failed ? Failure(session, by: way, events) : nil
    }

    static let list = Output<[AuthFactor]>.list(of: .object(reply))

    private static let reply = Reply<AuthFactor> {
        ReplyMember.always(
            "identityType", .choice(IdentityReply.Kind.allCases),
            "MOBILE: identityValue is a number. EMAIL: it is an address."
        ) {
            $0.target.email == nil ? .mobile : .email
        }
        ReplyMember.always("identityValue", .text, "A number has its country code and no plus.") { $0.target.plain }
        ReplyMember.always("channel", .choice(AuthType.allCases), "How it is proven.") { $0.way.name }
        ReplyMember.always(
            "methods", AuthWay.methods,
            "The channel of the newest message, or SILENT_AUTH. Empty before the first message."
        ) { $0.way.methods }
        ReplyMember.always(
            "status", .choice(State.allCases),
            "PENDING: not proven yet. SUCCESS: proven. FAILED: the request is over without a proof."
        ) { $0.state }
        ReplyMember.always("type", .choice([Kind.primary]), "Always PRIMARY.") { _ in .primary }
        ReplyMember.whenThere("verifiedTimestamp", .integer(0...Int.max), "Of a success: milliseconds since 1970.") {
            $0.provenAt.map { Int($0.milliseconds) }
        }
        ReplyMember.whenThere("error", .object(error), "Of a failure.") { $0.failure }
    }

    private static let error = Reply<Failure>(name: "FactorError") {
        ReplyMember.always(
            "errorCode", .text,
            "SP and five digits for a silent proof, else 7118 (too many wrong codes) or 7303 (expired)."
        ) { $0.code }
        ReplyMember.always("message", .text, "The kind of the error in a few words.") { $0.message }
        ReplyMember.always("description", .text, "The reason, for developers.") { $0.description }
    }
}

extension AuthFactor.Failure {
    fileprivate init(_ session: Session, by way: AuthWay, _ events: [SessionEvent]) {
        if way.name == .silent {
            self.init(SilentFailure(MobileAuthFailure(session, events)))
        } else {
            self.init(session.outcome == .failed ? OtplessError.checksUsedUp : .codeExpired)
        }
    }

    private init(_ failure: SilentFailure) {
        self.init(code: failure.rawValue, message: failure.message, description: failure.description)
    }

    private init(_ error: OtplessError) {
        let told = error.told
        self.init(code: told.code, message: told.message, description: told.description)
    }
}

extension Possession.Target {
    /// An address, or a number without the plus.
    var plain: String { number.map { String($0.e164.dropFirst()) } ?? text }
}
