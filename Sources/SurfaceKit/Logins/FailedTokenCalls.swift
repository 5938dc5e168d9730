internal import HTTPServer
internal import Locks
internal import Possession
internal import Text

/// Limits calls with wrong credentials, to slow down the guessing of secrets (API-05): 5 a second from an address, 20
/// in ten minutes for a client id from one address. The same client at another address is not affected.
///
/// If the caller's address is unknown, failures count by client id only: 20 in ten minutes. Other clients are not
/// affected.
///
/// Each server has a table of its own, and allows its share of the failures.
final class FailedTokenCalls: Sendable {
    private enum Key: Hashable {
        /// An address as `IPAddress.network64`.
        case address(IPAddress)
        case client(ClientID?, address: IPAddress?)
        /// Callers for whom a full table has no room share these keys.
        case sharedAddress(Int)
        case sharedClient(Int)

        var most: Int {
            switch self {
            case .address, .sharedAddress: 5
            case .client, .sharedClient: 20
            }
        }
        var windowMilliseconds: Int64 {
            switch self {
            case .address, .sharedAddress: 1000
            case .client, .sharedClient: 600_000
            }
        }

        /// One of 1024 shared keys, for a full table. Callers cannot choose it, because the hash is seeded.
        var shared: Key {
            let number = Int(UInt(bitPattern: hashValue) % 1024)
            switch self {
            case .address, .sharedAddress: return .sharedAddress(number)
            case .client, .sharedClient: return .sharedClient(number)
            }
        }
    }

    private struct Table {
        /// The times of the counted failures, oldest first; at most `most` of them.
        var failures: [Key: [Timestamp]] = [:]
        var nextCleaning = Timestamp(milliseconds: .min)

        /// The failures of a key that still count.
        func live(_ key: Key, at now: Timestamp) -> [Timestamp] {
            failures[key, default: []].filter { now.milliseconds < $0.milliseconds + key.windowMilliseconds }
        }
    }

    private let maxKeys: Int
    private let table = Locked(Table())

    /// - Parameter maxKeys: limits the memory, at about 300 bytes a key. Up to 2048 shared keys come on top.
    init(maxKeys: Int = 100_000) {
        self.maxKeys = maxKeys
    }

    /// All texts that cannot be a client id count under one name, so that the size of a key is bounded.
    private static func keys(_ client: String, _ address: IPAddress?) -> [Key] {
        guard let block = address?.network64 else { return [.client(ClientID(client), address: nil)] }
        return [.address(block), .client(ClientID(client), address: block)]
    }

    /// The whole seconds that a caller with too many failures must wait; `nil`: it need not wait.
    /// - Parameters:
    ///   - address: `nil`: unknown.
    ///   - share: this server's part of a limit.
    func wait(
        address: IPAddress?, client: String, at now: Timestamp, share: (Int) -> Int = { $0 }
    ) -> Int? {
        table.withLock { table in
            Self.keys(client, address).compactMap { key -> Int? in
                let counted = table.failures[key] == nil && table.failures.count >= maxKeys ? key.shared : key
                let live = table.live(counted, at: now)
                let most = share(key.most)
                guard live.count >= most, let oldest = live.suffix(most).first else { return nil }
                return Int((oldest.milliseconds + key.windowMilliseconds - now.milliseconds + 999) / 1000)
            }.max()
        }
    }

    func record(address: IPAddress?, client: String, at now: Timestamp) {
        table.withLock { table in
            for key in Self.keys(client, address) {
                let hasRoom =
                    table.failures[key] != nil || table.failures.count < maxKeys || Self.makeRoom(&table, maxKeys, now)
                // If the table is full, a new caller is counted together with others, and never left uncounted
                // (ABU-10).
                let counted = hasRoom ? key : key.shared
                table.failures[counted] = Array((table.live(counted, at: now) + [now]).suffix(key.most))
            }
        }
    }

    /// Drops expired failures, then keys that are below their limit. A key at its limit is never reset (ABU-10). Runs
    /// at most once a second, because it visits every key.
    private static func makeRoom(_ table: inout Table, _ maxKeys: Int, _ now: Timestamp) -> Bool {
        guard now >= table.nextCleaning else { return false }
        table.nextCleaning = now.adding(.seconds(1))
        table.failures = table.failures.filter { key, moments in
            moments.contains { now.milliseconds < $0.milliseconds + key.windowMilliseconds }
        }
        if table.failures.count >= maxKeys {
            table.failures = table.failures.filter { key, moments in moments.count >= key.most }
        }
        return table.failures.count < maxKeys
    }
}
