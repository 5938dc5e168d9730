package import Engine
internal import Locks

/// A part of the stored data that each server keeps in memory. The name is that of its table.
package enum CachedPart: String, CaseIterable, Sendable {
    case apiKeys = "api_keys"
    case applicationKeys = "application_keys"
    case closedPrefixes = "closed_prefixes"
    case keysets
    case listedNumbers = "listed_numbers"
    case signingKeys = "signing_keys"
    case tenants
    case testNumbers = "test_numbers"
    case webhookEndpoints = "webhook_endpoints"
    /// The last one: its reading waits for transactions.
    case erasureOrders = "erasure_orders"
}

/// Keeps the caches of a server equal to a database that other servers change, too.
///
/// Each part has a version in table `cache_versions`, and each change of the part raises it in its transaction. A server
/// that finds another version reads the part again. An engine of one server has no such table.
package final class CacheVersions: Sendable {
    package typealias Reading = @Sendable () async throws(StorageFault) -> Void

    private enum SQL {
        static let raise: Statement = "UPDATE cache_versions SET version = version + 1 WHERE part = ?1"
    }

    private struct State: Sendable {
        var readings: [CachedPart: [Reading]] = [:]
        var followed: [CachedPart: Int64] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// - Parameter read: reads the part again, or forgets what is cached of it.
    package func onChange(of part: CachedPart, _ read: @escaping Reading) {
        state.withLock { $0.readings[part, default: []].append(read) }
    }

    /// Reads the parts again that another server, or this one, has changed. One call runs at a time.
    /// - Parameter versions: as they are stored.
    /// - Throws: the fault of the first part that could not be read. All others were read.
    package func follow(_ versions: [CachedPart: Int64]) async throws(StorageFault) {
        var fault: StorageFault?
        for part in CachedPart.allCases {
            guard let version = versions[part] else { continue }
            let readings = state.withLock { $0.followed[part] == version ? [] : $0.readings[part, default: []] }
            do throws(StorageFault) {
                for read in readings { try await read() }
                state.withLock { $0.followed[part] = version }
            } catch { fault = fault ?? error }
        }
        if let fault { throw fault }
    }

    static func raise(_ part: CachedPart, _ connection: any Connection) throws(StorageFault) {
        guard !connection.runsAlone else { return }
        try connection.run(SQL.raise) { $0.text(part.rawValue) }
    }
}
