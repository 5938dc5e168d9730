internal import Engine
internal import Possession
internal import SurfaceKit
internal import Tokens

/// Lists the keys whose tokens may be valid, the oldest first.
struct ListSigningKeys: ReadingOrder {
    typealias Listed = (key: SigningKeyRecord, signs: Bool, verifiesUntil: Timestamp?)

    static let call = OrderCall(.get, "/control/keys", Self.init)
    static let reply = Reply.list("keys", of: listed)
    private static let listed = Reply<Listed> {
        ReplyMember.always("kid", .text) { $0.key.kid }
        ReplyMember.always("purpose", .text) { $0.key.purpose.rawValue }
        ReplyMember.always("createdAt", .moment) { $0.key.createdAt }
        ReplyMember.always("activatesAt", .moment) { $0.key.activatesAt }
        ReplyMember.always("signs", .flag) { $0.signs }
        ReplyMember.always("privateHalf", .text) { $0.key.canSign ? "kept" : "deleted" }
        ReplyMember.whenThere("publicKey", .text) { $0.key.rsaPublicKey?.pem }
        // If this is absent, the key has no successor yet. It verifies until some time after the next rotation.
        ReplyMember.whenThere("verifiesUntil", .moment) { $0.verifiesUntil }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> [Listed] {
        try await administrator.keys()
    }
}
