/// By what a session is looked up. The sessions that a lookup may find are named beside it (`SessionFence`).
///
///     try await sessions.session(.correlation(id), in: SessionFence(tenant, .prelude))
///     try await sessions.session(.link(digest), in: SessionFence(products: products))
package enum SessionKey: Sendable, Hashable {
    case correlation(CorrelationID)
    case auth(AuthID)
    case named(SessionName)

    package static func link(_ digest: LinkDigest) -> SessionKey { .named(.link(digest)) }
    package static func attempt(_ id: AttemptID) -> SessionKey { .named(.attempt(id)) }
    package static func flow(_ digest: FlowDigest) -> SessionKey { .named(.flow(digest)) }
    package static func exchange(_ digest: ExchangeDigest) -> SessionKey { .named(.exchange(digest)) }
    package static func target(_ target: Target) -> SessionKey { .named(.target(target)) }
}

/// Something that a session is found by, beside its two ids. A session keeps its names: one that was sent another link is
/// found by the earlier one as well.
package struct SessionName: Sendable, Hashable {
    /// The thing that is named. A surface whose sessions are found by something else declares a kind of its own, and gives
    /// its sessions such names by `SessionChange.names`; stores need nothing new for it.
    package struct Kind: Sendable, Hashable {
        package let word: String
        /// Sessions of one tenant and product may have the same name, and the newest is found. A name that is not shared
        /// is of one session.
        package let isShared: Bool

        /// - Parameter word: kept in stores; no other kind has it.
        package init(_ word: StaticString, isShared: Bool = false) {
            self.word = "\(word)"
            self.isShared = isShared
        }

        /// Any link that the session ever sent.
        static let link = Kind("link")
        /// Any code that a link of the session gave to a browser.
        static let exchange = Kind("exchange")
        /// Any Mobile Auth attempt of the session.
        static let attempt = Kind("attempt")
        /// The token of a prefill run that a browser or phone drives.
        static let flow = Kind("flow")
        /// The number or address that the backend started the session for, where the policy lets it be found so
        /// (`Policy.isFoundByNumber`).
        package static let target = Kind("target", isShared: true)
    }

    package enum Value: Sendable, Hashable {
        /// A digest, or bytes that are no secret.
        case digest([UInt8])
        /// Stores keep its blind index.
        case target(Target)
    }

    package let kind: Kind
    package let value: Value

    package init(_ kind: Kind, _ value: Value) {
        self.kind = kind
        self.value = value
    }

    package static func link(_ digest: LinkDigest) -> SessionName { SessionName(.link, .digest(digest.bytes)) }
    package static func attempt(_ id: AttemptID) -> SessionName { SessionName(.attempt, .digest(id.bytes)) }
    package static func flow(_ digest: FlowDigest) -> SessionName { SessionName(.flow, .digest(digest.bytes)) }
    package static func exchange(_ digest: ExchangeDigest) -> SessionName {
        SessionName(.exchange, .digest(digest.bytes))
    }
    package static func target(_ target: Target) -> SessionName { SessionName(.target, .target(target)) }
}

/// The sessions that a lookup may find. To the caller, a session outside of it does not exist: it is neither read nor
/// changed.
package struct SessionFence: Sendable, Hashable {
    /// `nil`: of every tenant.
    package let tenant: ClientID?
    /// `nil`: of every product.
    package let products: [ProductName]?

    package init(tenant: ClientID? = nil, products: [ProductName]? = nil) {
        self.tenant = tenant
        self.products = products
    }

    package init(_ tenant: ClientID, _ product: ProductName) { self.init(tenant: tenant, products: [product]) }

    /// Every session: for the server itself.
    package static let all = SessionFence()

    package func admits(_ session: Session) -> Bool {
        tenant.map { $0 == session.clientID } ?? true && products?.contains(session.request.policy.product) ?? true
    }

    /// The one tenant and product whose sessions share a name. Without them no session is the newest.
    package var owner: (ClientID, ProductName) {
        guard let tenant, let products, products.count == 1 else {
            preconditionFailure("a shared name is looked up at one tenant and product")
        }
        return (tenant, products[0])
    }
}

extension Session {
    /// The fence around the sessions of its tenant and product.
    package var fence: SessionFence { SessionFence(clientID, request.policy.product) }

    /// The names that find it as it stands, beside its ids.
    package var names: [SessionName] {
        var names: [SessionName] = []
        if let digest = flowDigest { names.append(.flow(digest)) }
        if let digest = link.digest { names.append(.link(digest)) }
        if let code = exchange { names.append(.exchange(code.digest)) }
        if let attempt = mobileAuth.attempt { names.append(.attempt(attempt)) }
        if request.policy.isFoundByNumber, let target = request.subject.target { names.append(.target(target)) }
        return names
    }

    /// The names that it has and an earlier state of it has not.
    package func names(since earlier: Session) -> [SessionName] {
        let known = earlier.names
        return names.filter { !known.contains($0) }
    }
}
