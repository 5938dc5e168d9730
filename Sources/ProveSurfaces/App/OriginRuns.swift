internal import HTTPServer
internal import Locks
internal import Text
internal import SurfaceKit

/// Remembers which run the page of an origin at an address started last. Sandbox only (`sandbox.flowByOrigin`).
///
/// The pages of the published guides fetch without credentials, so a browser brings no cookie to another origin. In live
/// they must send the flow token: an origin and an address are no secret (contract section 9).
final class OriginRuns: Sendable {
    private struct Key: Hashable {
        let origin: [UInt8]
        let address: IPAddress
    }

    private struct Table {
        var tokens: [Key: String] = [:]
        /// The keys, the oldest first; those that came again stand twice.
        var order: [Key] = []
    }

    /// Longer ones are of no page.
    private static let maxOriginBytes = 256

    private let addresses: ClientAddress
    private let maxRuns: Int
    private let table = Locked(Table())

    /// - Parameter maxRuns: bounds the memory, at some 500 bytes a run.
    init(addresses: ClientAddress, maxRuns: Int = 1024) {
        self.addresses = addresses
        self.maxRuns = maxRuns
    }

    /// Keeps the flow token of the run that the request started.
    func note(_ flowToken: String, startedBy request: Request) {
        guard let key = key(of: request) else { return }
        table.withLock { table in
            table.tokens[key] = flowToken
            table.order.append(key)
            // The order holds twice as many at most: of a key that stands twice, the last place counts.
            guard table.order.count > maxRuns else { return }
            let oldest = table.order.removeFirst()
            if !table.order.contains(oldest) { table.tokens[oldest] = nil }
        }
    }

    /// The flow token of the newest run of the same origin and address.
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
