internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Verifications without a message. The phone follows a chain of addresses over its cellular connection, and its
/// operator identifies the connection. At the end the phone gets a code, which is checked like the code of a message.
struct SilentVerifications: Sendable {
    static let hopPath = "/prelude/silent/{attemptId}"
    static let endPath = "/prelude/silent/end"

    let engine: Engine
    let notices: ConnectionNotices
    /// Scheme and authority of the hops.
    let publicURL: String

    init(_ engine: Engine, notices: ConnectionNotices, publicURL: String) {
        self.engine = engine
        self.notices = notices
        self.publicURL = publicURL
    }

    /// The declaration that lets a new session begin with the chain; `nil`: the dispatch or the API client does not
    /// allow it, so a message is sent.
    func declaration(
        for order: CreateVerification.Order, to target: Possession.Target, of tenant: Tenant
    ) async throws(PreludeError) -> Session.Declaration? {
        guard target.number != nil, order.options.method == .auto, let id = order.dispatch,
            tenant.rules.mobileAuth,
            engine.rules.capabilities.mobileAuth
        else { return nil }
        let notice = try await PreludeError.running { () async throws(EngineFault) in
            try await notices.notice(id, of: tenant.id)
        }
        guard let notice, notice.allowsMobileAuth(at: engine.now()) else { return nil }
        return Session.Declaration(
            platform: order.platform, fallback: .otp, deviceKey: false, cellular: .yes,
            codeReader: order.options.realm?.codeReader, mobileAuthReturnURL: publicURL + Self.endPath)
    }

    /// The answer to a call that has begun a chain.
    func created(_ session: Session, _ offer: MobileAuthOffer) -> Created {
        let attempt = engine.crypto.keyed.text(offer.attempt.bytes)
        return Created(session, requestURL: "\(publicURL)/prelude/silent/\(attempt)?t=\(offer.ticket)")
    }
}

extension CreateVerification.Order {
    /// Only phones follow a chain, so an unknown device counts as an iPhone. Messages have no special form for iPhones.
    fileprivate var platform: Platform {
        if let realm = options.realm { return realm.enginePlatform }
        return switch signals.platform {
        case .android: .android
        case .ios, .ipados, .tvos, .web, nil: .ios
        }
    }
}
