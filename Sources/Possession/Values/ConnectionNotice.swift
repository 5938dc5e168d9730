/// Id of a phone's notice. The phone makes it and gives it to its backend.
package struct NoticeID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A phone's notice about itself before its backend starts a session: whether it can use Mobile Auth, and whether it
/// called over its cellular connection.
package struct ConnectionNotice: Sendable, Equatable {
    /// After this time the notice is ignored.
    package static let lifetime = Duration.seconds(3600)
    /// Maximum notices that a store keeps for a tenant. A new one replaces an older one.
    package static let places: UInt64 = 65_536

    package let id: NoticeID
    package let tenant: ClientID
    package let at: Timestamp
    package var canUseMobileAuth: Bool
    package var cameOverCellular: Bool

    package init(
        id: NoticeID, tenant: ClientID, at: Timestamp, canUseMobileAuth: Bool, cameOverCellular: Bool
    ) {
        self.id = id
        self.tenant = tenant
        self.at = at
        self.canUseMobileAuth = canUseMobileAuth
        self.cameOverCellular = cameOverCellular
    }

    /// Its place among the notices of its tenant.
    package var place: UInt64 { Self.place(of: id) }

    package static func place(of id: NoticeID) -> UInt64 { (id.high ^ id.low) % places }

    /// Whether the phone may prove its number by Mobile Auth.
    package func allowsMobileAuth(at now: Timestamp) -> Bool {
        canUseMobileAuth && cameOverCellular && now < at.adding(Self.lifetime)
    }

    /// This notice, after an earlier one of the same phone: facts in the earlier one stay true.
    package func after(_ earlier: ConnectionNotice?) -> ConnectionNotice {
        guard let earlier, earlier.id == id, earlier.tenant == tenant, at < earlier.at.adding(Self.lifetime) else {
            return self
        }
        var notice = self
        notice.canUseMobileAuth = canUseMobileAuth || earlier.canUseMobileAuth
        notice.cameOverCellular = cameOverCellular || earlier.cameOverCellular
        return notice
    }
}
