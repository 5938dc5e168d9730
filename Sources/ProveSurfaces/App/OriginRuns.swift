internal import HTTPServer
internal import Locks
internal import Text
internal import SurfaceKit

/// Remembers the last run that a page of an origin has started from an address. Sandbox only (`sandbox.flowByOrigin`).
///
/// The pages of the published guides fetch without credentials, so a browser sends no cookie to another origin. In live
/// mode they must send the flow token: an origin and an address are not secret (contract section 9).
final class OriginRuns: Sendable {
    private struct Key: Hashable {
        let origin: [UInt8]
        let address: IPAddress
    }

    private struct Table {
        var tokens: [Key: String] = [:]
        /// The keys, the oldest first; a key that came again is listed twice.
        var order: [Key] = []
    }

    /// Origins of pages are shorter.
    private static let maxOriginBytes = 256

    private let addresses: ClientAddress
    private let maxRuns: Int
    private let table = Locked(Table())

    /// - Parameter maxRuns: limits the memory, at about 500 bytes a run.
    init(addresses: ClientAddress, maxRuns: Int = 1024) {
        self.addresses = addresses
        self.maxRuns = maxRuns
    }

    /// Stores the flow token of the run that the request started.
    func note(_ flowToken: String, startedBy request: Request) {
        guard let key = key(of: request) else { return }
        table.withLock { table in
            table.tokens[key] = flowToken
            table.order.append(key)
            // If the oldest key is listed again later, its token stays.
            guard table.order.count > maxRuns else { return }
            let oldest = table.order.removeFirst()
            if !table.order.contains(oldest) { table.tokens[oldest] = nil }
        }
    }

    /// The flow token of the newest run with the same origin and address.
    func flowToken(for request: Request) -> String? {
        guard let key = key(of: request) else { return nil }
        return table.withLock { $0.tokens[key] }
    }

    private func key(of request: Request) -> Key? {
        guard let origin = request.headers.bytes("origin"), origin.count <= Self.maxOriginBytes,
            let address = addresses.or(peerOf: request)
        else { return nil }
        return Key(origin: Array(origin), address: address)
    }
}
