internal import Possession

/// The account and one service of an API client, as this surface names them.
struct AccountSIDs: Sendable, Equatable {
    let account: SID
    let service: SID

    init(account: SID, service: SID) {
        self.account = account
        self.service = service
    }

    /// The account of an API client, and the service that each client has. Both follow from its id, so they are the same on
    /// every server and stored on none. The id may itself be an Account SID: the client then keeps the one that its code has.
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
