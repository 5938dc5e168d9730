internal import Locks
internal import HTTPServer
internal import Possession

/// Counts failed token calls, so that secrets cannot be guessed at speed (API-05): 5 a second from an address, 20 in
/// ten minutes for a client id from one address. A valid client elsewhere is not held up.
final class FailedTokenCalls: Sendable {
    private enum Key: Hashable {
        case address(String)
        case client(String, address: String)

        var most: Int {
            switch self {
            case .address: 5
            case .client: 20
            }
        }
        var windowMilliseconds: Int64 {
            switch self {
            case .address: 1000
            case .client: 600_000
            }
        }
    }

    private struct Table {
        /// The moments of the failures that count, oldest first; at most `most` of them.
        var failures: [Key: [Timestamp]] = [:]
        var nextCleaning = Timestamp(milliseconds: .min)
    }

    private let maxKeys: Int
    private let table = Locked(Table())

    /// - Parameter maxKeys: bounds the memory, at some 300 bytes a key.
    init(maxKeys: Int = 100_000) {
        self.maxKeys = maxKeys
    }

    /// What can be nobody's client id is counted under one name, so that a key has a bounded size.
    private static func keys(_ client: String, _ block: String) -> [Key] {
        [.address(block), .client(ClientID(client)?.text ?? "?", address: block)]
    }

    /// The whole seconds to wait when this caller has failed too often, else `nil`.
    func wait(address: String, client: String, at now: Timestamp) -> Int? {
        let block = AddressBlock(address).text
        return table.withLock { table in
            Self.keys(client, block).compactMap { key -> Int? in
                guard let moments = table.failures[key] else { return nil }
                let live = moments.filter { now.milliseconds < $0.milliseconds + key.windowMilliseconds }
                guard live.count >= key.most, let oldest = live.first else { return nil }
                return Int((oldest.milliseconds + key.windowMilliseconds - now.milliseconds + 999) / 1000)
            }.max()
        }
    }

    func record(address: String, client: String, at now: Timestamp) {
        let block = AddressBlock(address).text
        table.withLock { table in
            for key in Self.keys(client, block) {
                if table.failures[key] == nil, table.failures.count >= maxKeys, !Self.makeRoom(&table, maxKeys, now) {
                    continue
                }
                var moments = table.failures[key, default: []].filter {
                    now.milliseconds < $0.milliseconds + key.windowMilliseconds
                }
                moments.append(now)
                table.failures[key] = Array(moments.suffix(key.most))
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

/// What counts as one caller's address: IPv4 whole, IPv6 by its /64, since one household has all of that.
struct AddressBlock: Sendable {
    let text: String

    init(_ address: String) {
        guard address.contains(":") else {
            text = address
            return
        }
        text = AddressBlock.groups(address).prefix(4).joined(separator: ":")
    }

    /// The eight groups of an IPv6 text, without leading zeros; what `::` leaves out is 0.
    private static func groups(_ address: String) -> [String] {
        let zone = address.prefix { $0 != "%" }
        guard let gap = zone.firstRange(of: "::") else { return split(zone) }
        let head = split(zone[..<gap.lowerBound])
        let tail = split(zone[gap.upperBound...])
        return head + Array(repeating: "0", count: max(0, 8 - head.count - tail.count)) + tail
    }

    private static func split(_ text: Substring) -> [String] {
        text.split(separator: ":").map { group in
            let significant = group.drop { $0 == "0" }
            return significant.isEmpty ? "0" : significant.lowercased()
        }
    }
}
