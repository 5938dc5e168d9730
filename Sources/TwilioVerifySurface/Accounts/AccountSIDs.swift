internal import Possession

/// Names of an API client on this surface: its account, and the one service that it has. Both follow from its id, so they
/// are the same on every server and stored on none.
struct AccountSIDs: Sendable, Equatable {
    let account: SID
    let service: SID

    /// The id of an API client may itself be an Account SID: the client then keeps the one that its code has.
    init(of client: ClientID, sha256: ([UInt8]) -> [UInt8]) {
        account = SID(client.text, of: .account) ?? SID(.account, Self.bytes("account", client, sha256))
        service = SID(.service, Self.bytes("service", client, sha256))
    }

    private static func bytes(_ what: String, _ client: ClientID, _ sha256: ([UInt8]) -> [UInt8]) -> [UInt8] {
        Array(sha256(Array("\(what) \(client.text)".utf8)).prefix(16))
    }
}
