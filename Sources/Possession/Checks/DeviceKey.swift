/// A key pair on a device, bound to a number that it proved (client protocol 4.10).
package struct DeviceKey: Sendable, Equatable {
    package enum Status: String, Sendable { case active, revoked }

    package let id: DeviceID
    package let clientID: ClientID
    package let thumbprint: Thumbprint
    package let publicKey: PublicKey
    package var platform: Platform
    package let createdAt: Timestamp
    package var number: PhoneNumber
    package var status: Status
    package var boundAt: Timestamp
    /// The last time it authenticated or was bound. After twelve months without use it is inactive.
    package var lastUsedAt: Timestamp
    package var clientCustomerID: String?
    package var clientHumanID: String?

    package init(
        id: DeviceID, clientID: ClientID, thumbprint: Thumbprint, publicKey: PublicKey, platform: Platform,
        createdAt: Timestamp, number: PhoneNumber, status: Status, boundAt: Timestamp, lastUsedAt: Timestamp,
        clientCustomerID: String? = nil, clientHumanID: String? = nil
    ) {
        self.id = id
        self.clientID = clientID
        self.thumbprint = thumbprint
        self.publicKey = publicKey
        self.platform = platform
        self.createdAt = createdAt
        self.number = number
        self.status = status
        self.boundAt = boundAt
        self.lastUsedAt = lastUsedAt
        self.clientCustomerID = clientCustomerID
        self.clientHumanID = clientHumanID
    }

    /// Whether the key was not used for longer than `limit` (12 months, client protocol 4.10).
    package func isInactive(at now: Timestamp, after limit: Duration) -> Bool {
        now >= lastUsedAt.adding(limit)
    }

    /// Why the key is retired; `nil`: it is in use.
    func retirement(at now: Timestamp, after limit: Duration) -> DeviceCheck.Retired? {
        if status == .revoked { return .revoked }
        return isInactive(at: now, after: limit) ? .inactive : nil
    }
}
