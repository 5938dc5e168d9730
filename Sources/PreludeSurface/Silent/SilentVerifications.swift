internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Verifications that need no message: the phone follows a chain of addresses over its cellular connection, and its
/// operator says whose connection it is. The code at the end stands for that answer, and is checked as a message's code is.
struct SilentVerifications: Sendable {
    static let hopPath = "/prelude/silent/{attemptId}"
    static let endPath = "/prelude/silent/end"

    let engine: Engine
    let notices: any ConnectionNoticeStore
    /// Scheme and authority of the hops.
    let publicURL: String

    init(_ engine: Engine, notices: any ConnectionNoticeStore, publicURL: String) {
        self.engine = engine
        self.notices = notices
        self.publicURL = publicURL
    }

    /// With what a new session begins the chain, where the dispatch and the API client allow it; `nil`: a message has to be
    /// sent.
    func declaration(
        for order: CreateVerification.Order, to target: Possession.Target, of tenant: Tenant
    ) async throws(PreludeError) -> Session.Declaration? {
        guard target.number != nil, order.options.method == .auto, let id = order.dispatch,
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
}

extension CreateVerification.Order {
    /// Only phones have a chain: one that does not say what it is counts as an iPhone, of which messages know nothing.
    fileprivate var platform: Platform {
        if let realm = options.realm { return realm.enginePlatform }
        return switch signals.platform {
        case .android: .android
        case .ios, .ipados, .tvos, .web, nil: .ios
        }
    }
}
