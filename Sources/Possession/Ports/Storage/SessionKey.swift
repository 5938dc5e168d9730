/// By which id a session is looked up. The sessions that a lookup may find are named beside it (`SessionFence`).
///
///     try await sessions.session(.correlation(id), in: SessionFence(tenant, .prelude))
///     try await sessions.session(.link(digest), in: SessionFence(products: products))
package enum SessionKey: Sendable, Hashable {
    case correlation(CorrelationID)
    case auth(AuthID)
    /// Any link the session ever sent, also a superseded one.
    case link(LinkDigest)
    /// Any Mobile Auth attempt of the session.
    case attempt(AttemptID)
    /// The token of a prefill run that a browser or phone drives.
    case flow(FlowDigest)
    /// The newest session that the backend started for this number or address, among those of one tenant and product
    /// whose policy lets them be found so (`Policy.isFoundByNumber`).
    case target(Target)
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

    /// The one tenant and product that a target is looked up at. Without them no session is the newest.
    package var owner: (ClientID, ProductName) {
        guard let tenant, let products, products.count == 1 else {
            preconditionFailure("a target is looked up at one tenant and product")
        }
        return (tenant, products[0])
    }
}

extension Session {
    /// The fence around the sessions of its tenant and product.
    package var fence: SessionFence { SessionFence(clientID, request.policy.product) }
}
