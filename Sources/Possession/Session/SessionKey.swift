/// Key to look up a session. A `SessionFence` beside it limits the sessions that the look-up may find.
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

/// A further key of a session, beside its two ids. A session keeps its names: after a second link was sent, the first
/// one still finds it.
package struct SessionName: Sendable, Hashable {
    /// The kind of a name. If a surface finds its sessions by something else, it declares its own kind and sets such
    /// names with `SessionChange.names`. Stores need no change for it.
    package struct Kind: Sendable, Hashable {
        package let word: String
        /// Several sessions of one tenant and product may have the same name, and the newest is found. A name that is
        /// not shared belongs to one session.
        package let isShared: Bool

        /// - Parameter word: stored; no other kind may have it.
        package init(_ word: StaticString, isShared: Bool = false) {
            self.word = "\(word)"
            self.isShared = isShared
        }

        /// Any link that the session has sent.
        static let link = Kind("link")
        /// Any code that a link of the session gave to a browser.
        static let exchange = Kind("exchange")
        /// Any Mobile Auth attempt of the session.
        static let attempt = Kind("attempt")
        /// The token of a prefill session that a browser or phone drives.
        static let flow = Kind("flow")
        /// The number or address for which the backend started the session, if the policy allows a look-up by it
        /// (`Policy.isFoundByNumber`).
        package static let target = Kind("target", isShared: true)
    }

    package enum Value: Sendable, Hashable {
        /// A digest, or bytes that are not secret.
        case digest([UInt8])
        /// Stores keep only its blind index.
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

/// The sessions that a look-up may find. For the caller, sessions outside do not exist: they are neither read nor
/// changed.
package struct SessionFence: Sendable, Hashable {
    /// `nil`: every tenant.
    package let tenant: ClientID?
    /// `nil`: every product.
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

    /// The only tenant and product of the fence, needed to look up a shared name. Traps if the fence has not exactly
    /// one of each.
    package var owner: (ClientID, ProductName) {
        guard let tenant, let products, products.count == 1 else {
            preconditionFailure("a shared name is looked up at one tenant and product")
        }
        return (tenant, products[0])
    }
}

extension Session {
    /// The fence that contains only the sessions of its tenant and product.
    package var fence: SessionFence { SessionFence(clientID, request.policy.product) }

    /// The current names of the session, beside its ids.
    package var names: [SessionName] {
        var names: [SessionName] = []
        if let digest = flowDigest { names.append(.flow(digest)) }
        if let digest = link.digest { names.append(.link(digest)) }
        if let code = exchange { names.append(.exchange(code.digest)) }
        if let attempt = mobileAuth.attempt { names.append(.attempt(attempt)) }
        if request.policy.isFoundByNumber, let target = request.subject.target { names.append(.target(target)) }
        return names
    }

    /// The names that an earlier state of the session did not have.
    package func names(since earlier: Session) -> [SessionName] {
        let known = earlier.names
        return names.filter { !known.contains($0) }
    }
}
