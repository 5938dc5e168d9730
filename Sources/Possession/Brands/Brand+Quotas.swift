internal import Text

/// Why a change of a tenant's brands is refused.
package enum BrandRefusal: Error, Sendable, Equatable {
    /// The tenant has no such brand, quota or window.
    case unknown
    /// The tenant already has `Brand.most` brands.
    case full
    case quotasFull, quotaNameTaken
    case windowsFull
    /// The quota already has a window of this length.
    case windowTaken
}

/// Changes of a brand's quotas.
extension Brand {
    /// - Throws: `.unknown`.
    package func quota(_ id: QuotaID) throws(BrandRefusal) -> Quota { quotas[try place(of: id)] }

    /// - Throws: `.unknown`.
    package func window(_ id: QuotaWindowID, of quota: QuotaID) throws(BrandRefusal) -> Quota.Window {
        let quota = try self.quota(quota)
        return quota.windows[try Self.place(of: id, in: quota)]
    }

    /// - Throws: `.quotaNameTaken`, `.quotasFull`.
    package mutating func add(_ quota: Quota) throws(BrandRefusal) {
        guard !quotas.contains(where: { $0.name.isSame(as: quota.name) }) else { throw .quotaNameTaken }
        guard quotas.count < Quota.most else { throw .quotasFull }
        quotas.append(quota)
    }

    /// - Throws: `.unknown`.
    package mutating func describe(_ id: QuotaID, _ about: String?, at now: Timestamp) throws(BrandRefusal) -> Quota {
        let place = try place(of: id)
        quotas[place].about = about ?? quotas[place].about
        quotas[place].changedAt = now
        return quotas[place]
    }

    /// - Throws: `.unknown`.
    package mutating func removeQuota(_ id: QuotaID) throws(BrandRefusal) { quotas.remove(at: try place(of: id)) }

    /// - Throws: `.unknown`, `.windowTaken`, `.windowsFull`.
    package mutating func add(_ window: Quota.Window, to id: QuotaID) throws(BrandRefusal) {
        let place = try place(of: id)
        guard !quotas[place].windows.contains(where: { $0.seconds == window.seconds }) else { throw .windowTaken }
        guard quotas[place].windows.count < Quota.mostWindows else { throw .windowsFull }
        quotas[place].windows.append(window)
    }

    /// - Parameters: `nil`: the value does not change.
    /// - Throws: `.unknown`, `.windowTaken`.
    package mutating func change(
        _ id: QuotaWindowID, of quota: QuotaID, most: Int?, seconds: Int?, at now: Timestamp
    ) throws(BrandRefusal) -> Quota.Window {
        let place = try place(of: quota)
        let index = try Self.place(of: id, in: quotas[place])
        var window = quotas[place].windows[index]
        window.most = most ?? window.most
        window.seconds = seconds ?? window.seconds
        window.changedAt = now
        guard !quotas[place].windows.contains(where: { $0.id != id && $0.seconds == window.seconds }) else {
            throw .windowTaken
        }
        quotas[place].windows[index] = window
        return window
    }

    /// - Throws: `.unknown`.
    package mutating func removeWindow(_ id: QuotaWindowID, of quota: QuotaID) throws(BrandRefusal) {
        let place = try place(of: quota)
        quotas[place].windows.remove(at: try Self.place(of: id, in: quotas[place]))
    }

    private func place(of id: QuotaID) throws(BrandRefusal) -> Int {
        guard let place = quotas.firstIndex(where: { $0.id == id }) else { throw .unknown }
        return place
    }

    private static func place(of id: QuotaWindowID, in quota: Quota) throws(BrandRefusal) -> Int {
        guard let place = quota.windows.firstIndex(where: { $0.id == id }) else { throw .unknown }
        return place
    }
}
