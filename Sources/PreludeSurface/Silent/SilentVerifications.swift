internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Verifications that need no message: the phone follows a chain of addresses over its cellular connection, and its
/// operator says whose connection it is. The code at the end is the engine's fingerprint of that answer.
struct SilentVerifications: Sendable {
    static let hopPath = "/prelude/silent/{attemptId}"
    static let endPath = "/prelude/silent/end"

    let engine: Engine
    let operations: SessionOperations
    let notices: any ConnectionNoticeStore
    /// Scheme and authority of the hops.
    let publicURL: String

    init(_ engine: Engine, notices: any ConnectionNoticeStore, publicURL: String) {
        self.engine = engine
        operations = SessionOperations(engine)
        self.notices = notices
        self.publicURL = publicURL
    }

    /// Whether a text may be the code of a chain: longer than any code that is typed, in visible ASCII.
    static func isProof(_ text: String) -> Bool {
        text.utf8.count > 10 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            && text.utf8.contains { $0 >= UInt8(ascii: "A") }
    }

    /// Begins the chain of a new session where the number, the dispatch and the API client allow it.
    /// - Returns: `nil`: a message has to be sent.
    func offer(
        _ session: Session, _ order: Verifications.Order, for tenant: Tenant
    ) async throws(PreludeError) -> Created? {
        guard order.options.method == .auto, let id = order.dispatch,
            session.request.policy.checks.contains(.mobileAuth), engine.rules.capabilities.mobileAuth
        else { return nil }
        let notice = try await PreludeError.storing { () async throws(StorageFault) in
            try await notices.notice(id, of: tenant.id)
        }
        guard let notice, notice.allowsMobileAuth(at: engine.now()) else { return nil }
        let declaration = Session.Declaration(
            platform: order.platform, fallback: .otp, deviceKey: false, cellular: .yes,
            appHash: order.options.realm?.appHash, mobileAuthReturnURL: publicURL + Self.endPath)
        try await redeem(declaration, session, for: tenant)
        let begun = try await PreludeError.running { () async throws(EngineFault) in
            try await operations.carryOut(
                try operations.beginMobileAuth(), on: .correlation(session.correlationID), of: .prelude,
                for: tenant.id)
        }
        guard let begun, begun.refusal == nil, let offer = begun.offer else { return nil }
        let attempt = engine.keyed.text(offer.attempt.bytes)
        return Created(
            begun.session, requestURL: "\(publicURL)/prelude/silent/\(attempt)?t=\(offer.ticket)")
    }

    /// Lets the last line of the message name the Android app, which then reads the code by itself.
    func declare(appHash: String, _ session: Session, for tenant: Tenant) async throws(PreludeError) {
        let declaration = Session.Declaration(
            platform: .android, fallback: .otp, deviceKey: false, cellular: .no, appHash: appHash)
        try await redeem(declaration, session, for: tenant)
    }

    private func redeem(
        _ declaration: Session.Declaration, _ session: Session, for tenant: Tenant
    ) async throws(PreludeError) {
        _ = try await PreludeError.running { () async throws(EngineFault) in
            try await operations.carryOut(
                try operations.redeem(declaration), on: .correlation(session.correlationID), of: .prelude,
                for: tenant.id)
        }
    }

    /// Takes the code that the chain gave.
    /// - Returns: `nil`: the tenant has no such session.
    func finish(
        _ proof: String, _ session: Session, for tenant: ClientID
    ) async throws(PreludeError) -> OperationReply? {
        guard let attempt = session.mobileAuth.attempt else {
            return OperationReply(refusal: .fingerprintInvalid, session: session)
        }
        let operation = operations.finishMobileAuth(attempt, fingerprint: proof)
        return try await PreludeError.running { () async throws(EngineFault) in
            try await operations.carryOut(
                operation, on: .correlation(session.correlationID), of: .prelude, for: tenant)
        }
    }
}

extension Verifications.Order {
    /// Only phones have a chain: one that does not say what it is counts as an iPhone, of which messages know nothing.
    fileprivate var platform: Platform {
        if options.realm?.appHash != nil { return .android }
        return switch signals.platform {
        case .android: .android
        case .ios, .ipados, .tvos, .web, nil: .ios
        }
    }
}
