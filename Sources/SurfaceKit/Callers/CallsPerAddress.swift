internal import Locks
package import Possession
package import Text

/// Limits the calls a second of each client address, for calls without an API client's credentials (ABU-01). An IPv6
/// /64 counts as one address, and its /48 may make five times as many calls. Callers without a usable address share one
/// limit, that of a network.
///
/// Only in memory: it limits load, not messages or guesses. Each key stores when its next call is due if calls come
/// evenly. A key whose time has passed has its whole burst again, so dropping it changes nothing.
package final class CallsPerAddress: Sendable {
    private enum Key: Hashable {
        /// `IPAddress.network64`.
        case address(IPAddress)
        /// `IPAddress.network48`.
        case network(IPAddress)
        case unknown
        /// Shared keys for callers that found no room in a full table.
        case sharedAddress(Int)
        case sharedNetwork(Int)

        var isNetwork: Bool {
            switch self {
            case .network, .unknown, .sharedNetwork: true
            case .address, .sharedAddress: false
            }
        }

        /// One of 1024 shared keys that is counted when the table is full. Callers cannot choose it, because the hash
        /// is seeded.
        var shared: Key {
            let number = Int(UInt(bitPattern: hashValue) % 1024)
            return isNetwork ? .sharedNetwork(number) : .sharedAddress(number)
        }
    }

    private struct Table {
        /// In microseconds; never further in the past than its key needs.
        var due: [Key: Int64] = [:]
        var nextCleaning = Timestamp(milliseconds: .min)
    }

    /// How many seconds' worth of calls may come at once.
    private static let burstSeconds: Int64 = 4
    private static let networkFactor: Int64 = 5

    /// Microseconds between two calls, and microseconds of a whole burst.
    private let interval: Int64
    private let burst: Int64
    private let networkInterval: Int64
    private let maxKeys: Int
    private let table = Locked(Table())

    /// - Parameters:
    ///   - perSecond: 1 to 100,000.
    ///   - maxKeys: limits the memory, about 80 bytes a key; 2048 shared keys are added to it.
    package init(perSecond: Int, maxKeys: Int = 100_000) {
        precondition((1...100_000).contains(perSecond), "a rate out of range")
        // Rounded up, so that the limit is never exceeded.
        interval = (1_000_000 + Int64(perSecond) - 1) / Int64(perSecond)
        burst = interval * Int64(perSecond) * Self.burstSeconds
        networkInterval = (interval + Self.networkFactor - 1) / Self.networkFactor
        self.maxKeys = maxKeys
    }

    /// Counts one call; `nil` when it is allowed, otherwise the whole seconds until the next one is.
    /// - Parameter address: `nil` when it is unknown.
    package func take(_ address: IPAddress?, at now: Timestamp) -> Int? {
        let moment = now.milliseconds * 1000
        return table.withLock { table in
            guard let address else { return take(.unknown, nil, &table, moment) }
            let network = address.isIPv4 ? nil : key(.network(address.network48), &table, moment)
            return take(key(.address(address.network64), &table, moment), network, &table, moment)
        }
    }

    /// Both keys must allow a call before it is counted.
    private func take(_ first: Key, _ second: Key?, _ table: inout Table, _ moment: Int64) -> Int? {
        let wait = max(self.wait(first, table, moment), second.map { self.wait($0, table, moment) } ?? 0)
        guard wait <= 0 else { return Int((wait + 999_999) / 1_000_000) }
        count(first, &table, moment)
        if let second { count(second, &table, moment) }
        return nil
    }

    private func wait(_ key: Key, _ table: Table, _ moment: Int64) -> Int64 {
        start(key, table, moment) + interval(of: key) - burst - moment
    }

    private func count(_ key: Key, _ table: inout Table, _ moment: Int64) {
        table.due[key] = start(key, table, moment) + interval(of: key)
    }

    /// If the clock was set back, a key has its burst used up, and waits no longer than that.
    private func start(_ key: Key, _ table: Table, _ moment: Int64) -> Int64 {
        min(max(table.due[key] ?? moment, moment), moment + burst)
    }

    private func interval(of key: Key) -> Int64 { key.isNetwork ? networkInterval : interval }

    /// The key itself if it has an entry or there is room. If the table is full, a new caller is counted together with
    /// others, and is never allowed uncounted (ABU-10).
    private func key(_ key: Key, _ table: inout Table, _ moment: Int64) -> Key {
        guard table.due.count >= maxKeys, table.due[key] == nil else { return key }
        return makeRoom(&table, moment) ? key : key.shared
    }

    /// Drops keys that have their whole burst again. Runs at most once a second, because it checks every key.
    private func makeRoom(_ table: inout Table, _ moment: Int64) -> Bool {
        let now = Timestamp(milliseconds: moment / 1000)
        guard now >= table.nextCleaning else { return false }
        table.nextCleaning = now.adding(.seconds(1))
        table.due = table.due.filter { $0.value > moment }
        return table.due.count < maxKeys
    }
}
