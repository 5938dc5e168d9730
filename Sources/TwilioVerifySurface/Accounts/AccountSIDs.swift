internal import Possession

/// The SIDs of an API client's account and of one of its services.
struct AccountSIDs: Sendable, Equatable {
    let account: SID
    let service: SID

    init(account: SID, service: SID) {
        self.account = account
        self.service = service
    }

    /// The account of an API client and its first service. Both are computed from the client's id, so they are the same
    /// on every server and are not stored. If the id is itself an Account SID, it is the account's SID: a client that
    /// comes from Twilio keeps its SID.
    init(of client: ClientID, sha256: ([UInt8]) -> [UInt8]) {
        account = SID(client.text, of: .account) ?? SID(.account, Self.bytes("account", client, sha256))
        service = SID(.service, Self.bytes("service", client, sha256))
    }

    /// Another service of the account.
    func of(_ brand: BrandID) -> AccountSIDs { AccountSIDs(account: account, service: SID(.service, brand.bytes)) }

    private static func bytes(_ what: String, _ client: ClientID, _ sha256: ([UInt8]) -> [UInt8]) -> [UInt8] {
        Array(sha256(Array("\(what) \(client.text)".utf8)).prefix(16))
    }
}
