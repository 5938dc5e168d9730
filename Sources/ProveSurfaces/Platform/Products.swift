package import Possession

/// The products of this wire format.
extension Product {
    /// `/v3/unify`.
    static let unify = Product(.unify, number: .orMobileAuthOrPerson)

    /// `/v3/start` and `/initialize`.
    static let prefill = {
        var product = Product(.prefill, number: .orMobileAuth)
        product.prefill = .afterChallenge
        product.nameWithoutChallenge = .identity
        product.asksReputation = true
        return product
    }()

    /// `/v1/server/auth/start`. `continue` binds a pending key, and nothing else.
    static let auth = {
        var product = Product(.auth, number: .optional)
        product.bindsPendingKeysOnly = true
        product.asksOperatorOfKnownNumber = true
        return product
    }()
}

extension ProductName {
    static let unify = ProductName(known: "unify")
    static let prefill = ProductName(known: "prefill")
    /// Prefill without a challenge.
    static let identity = ProductName(known: "identity")
    /// The calls below `/v1/server/auth`.
    static let auth = ProductName(known: "auth")

    /// The products of all sessions in this wire format: for metrics.
    package static let ofPlatform: [ProductName] = [.unify, .prefill, .identity, .auth]
}
