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
    private let admission: BackendAdmission
    let notices: any ConnectionNoticeStore
    /// Scheme and authority of the hops.
    let publicURL: String

    init(_ engine: Engine, notices: any ConnectionNoticeStore, publicURL: String) {
        self.engine = engine
        operations = SessionOperations(engine)
        admission = BackendAdmission(engine)
        self.notices = notices
        self.publicURL = publicURL
    }

    /// Whether a text may be the code of a chain: longer than any code that is typed, in visible ASCII.
    static func isProof(_ text: String) -> Bool {
        text.utf8.count > 10 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            && text.utf8.contains { $0 >= UInt8(ascii: "A") }
    }

    /// With what a new session begins the chain, where the dispatch and the API client allow it; `nil`: a message has to be
    /// sent.
    func declaration(
        for order: Verifications.Order, of tenant: Tenant
    ) async throws(PreludeError) -> Session.Declaration? {
        guard order.target.number != nil, order.options.method == .auto, let id = order.dispatch,
            tenant.rules.mobileAuth,
            engine.rules.capabilities.mobileAuth
        else { return nil }
        let notice = try await PreludeError.storing { () async throws(StorageFault) in
            try await notices.notice(id, of: tenant.id)
        }
        guard let notice, notice.allowsMobileAuth(at: engine.now()) else { return nil }
        return Session.Declaration(
            platform: order.platform, fallback: .otp, deviceKey: false, cellular: .yes,
            codeReader: order.options.realm?.codeReader, mobileAuthReturnURL: publicURL + Self.endPath)
    }

    /// The answer to a call that has begun a chain.
    func created(_ session: Session, _ offer: MobileAuthOffer) -> Created {
        let attempt = engine.keyed.text(offer.attempt.bytes)
        return Created(session, requestURL: "\(publicURL)/prelude/silent/\(attempt)?t=\(offer.ticket)")
    }

    /// Takes the code that the chain gave.
    /// - Returns: `nil`: the tenant has no session for the target.
    func finish(
        _ proof: String, of target: Possession.Target, for tenant: ClientID, _ retry: Retry?
    ) async throws(PreludeError) -> OperationReply? {
        let operation = operations.finishMobileAuth(fingerprint: proof, from: nil)
        return try await PreludeError.admitting { () async throws(BackendAdmission.Fault) in
            try await admission.perform(
                operation, on: .target(target), of: .prelude, for: tenant, retry: retry)
        }
    }
}

extension Verifications.Order {
    /// Only phones have a chain: one that does not say what it is counts as an iPhone, of which messages know nothing.
    fileprivate var platform: Platform {
        if let realm = options.realm { return realm.enginePlatform }
        return switch signals.platform {
        case .android: .android
        case .ios, .ipados, .tvos, .web, nil: .ios
        }
    }
}
