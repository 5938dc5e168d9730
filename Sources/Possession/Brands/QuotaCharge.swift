internal import Text

/// One message, counted under one window of a quota for one value.
package struct QuotaCharge: Sendable, Equatable {
    let key: LimitKey
    let window: LimitWindow
}

extension Brand {
    /// All counters of a message.
    /// - Parameter values: by the names of quotas.
    /// - Returns: `nil`: the brand has no quota with one of the names.
    package func charges(
        _ values: [(name: String, value: String)], of tenant: ClientID
    ) -> [QuotaCharge]? {
        var charges: [QuotaCharge] = []
        for (name, value) in values {
            guard let quota = quotas.first(where: { $0.name.isSame(as: name) }) else { return nil }
            charges += quota.windows.map { window in
                QuotaCharge(
                    key: LimitKey(.quota, of: tenant, window.id.bytes + Array(value.utf8)),
                    window: LimitWindow(.seconds(window.seconds), most: window.most))
            }
        }
        return charges
    }
}

extension LimitTallies {
    /// Refuses if any window is full. The longest wait is reported.
    func check(_ charges: [QuotaCharge], at now: Timestamp) throws(LimitHit) {
        var worst: Timestamp?
        for charge in charges {
            guard let end = try read(charge.key).isFull(charge.window, at: now) else { continue }
            worst = worst.map { max($0, end) } ?? end
        }
        if let worst { throw LimitHit(.quota, until: worst, at: now) }
    }

    /// Counts a message after `check` has accepted it.
    mutating func count(_ charges: [QuotaCharge], at now: Timestamp) {
        for charge in charges {
            change(charge.key) { $0.count(at: now, most: charge.window.most, reach: charge.window.length) }
        }
    }
}
