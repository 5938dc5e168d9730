internal import HTTPServer
internal import Locks
internal import Possession
internal import Text

/// Counts calls with wrong credentials, so that secrets cannot be guessed at speed (API-05): 5 a second from an address, 20 in
/// ten minutes for a client id from one address. A valid client elsewhere is not held up.
///
/// A caller whose address is not known is counted by the client id: 20 in ten minutes. Other clients go on.
final class FailedTokenCalls: Sendable {
    private enum Key: Hashable {
        /// Addresses are `IPAddress.network64`.
        case address(IPAddress)
        case client(ClientID?, address: IPAddress?)
        /// Callers that found no place in a full table share these.
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

        /// One of 1024 keys that is counted when the table is full. Callers cannot choose it: the hash has a seed.
        var shared: Key {
            let number = Int(UInt(bitPattern: hashValue) % 1024)
            switch self {
            case .address, .sharedAddress: return .sharedAddress(number)
            case .client, .sharedClient: return .sharedClient(number)
            }
        }
    }

    private struct Table {
        /// The moments of the failures that count, oldest first; at most `most` of them.
        var failures: [Key: [Timestamp]] = [:]
        var nextCleaning = Timestamp(milliseconds: .min)

        /// The failures of a key that count now.
        func live(_ key: Key, at now: Timestamp) -> [Timestamp] {
            failures[key, default: []].filter { now.milliseconds < $0.milliseconds + key.windowMilliseconds }
        }
    }

    private let maxKeys: Int
    private let table = Locked(Table())

    /// - Parameter maxKeys: bounds the memory, at some 300 bytes a key; 2048 shared ones come on top.
    init(maxKeys: Int = 100_000) {
        self.maxKeys = maxKeys
    }

    /// Counts all texts that can be nobody's client id under one name, so that a key has a bounded size.
    private static func keys(_ client: String, _ address: IPAddress?) -> [Key] {
        guard let block = address?.network64 else { return [.client(ClientID(client), address: nil)] }
        return [.address(block), .client(ClientID(client), address: block)]
    }

    /// The whole seconds to wait when this caller has failed too often, else `nil`.
    ///
    /// - Parameter address: `nil` when it is not known.
    func wait(address: IPAddress?, client: String, at now: Timestamp) -> Int? {
        table.withLock { table in
            Self.keys(client, address).compactMap { key -> Int? in
                let counted = table.failures[key] == nil && table.failures.count >= maxKeys ? key.shared : key
                let live = table.live(counted, at: now)
                guard live.count >= key.most, let oldest = live.first else { return nil }
                return Int((oldest.milliseconds + key.windowMilliseconds - now.milliseconds + 999) / 1000)
            }.max()
        }
    }

    func record(address: IPAddress?, client: String, at now: Timestamp) {
        table.withLock { table in
            for key in Self.keys(client, address) {
                let hasRoom =
                    table.failures[key] != nil || table.failures.count < maxKeys || Self.makeRoom(&table, maxKeys, now)
                // A full table counts a new caller together with others, and never lets it pass uncounted (ABU-10).
                let counted = hasRoom ? key : key.shared
                table.failures[counted] = Array((table.live(counted, at: now) + [now]).suffix(key.most))
            }
        }
    }

    /// Drops what no longer counts, then what is not at its limit: a limited key is never reset (ABU-10). At most once
    /// a second, since it looks at every key.
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
