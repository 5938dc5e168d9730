package import HTTPServer
internal import Locks
package import Logging

/// Warns of refused connections and requests, and says what to do. Each reason is logged at once, and then at most once
/// in `quietRounds`. A flood costs one line a minute.
package struct RefusalLog: Sendable {
    private struct Told {
        /// Refusals since the start, when the last line was written.
        var count = 0
        /// Rounds until the next line may be written.
        var quiet = 0
    }

    private enum Reason: CaseIterable {
        case connections, address, descriptors, proxyHeader, memory, streams

        var advice: String {
            switch self {
            case .connections:
                "connections were refused: as many are open as server.maxConnections and descriptors allow"
            case .address:
                "connections were refused: one address has as many as server.maxConnectionsPerAddress; if it is a "
                    + "proxy, name it in server.trustedProxies"
            case .descriptors: "connections were refused: no file descriptor is left; raise the limit (ulimit -n)"
            case .proxyHeader:
                "connections were closed: proxies in server.trustedProxies began them without a PROXY header, which "
                    + "server.proxyProtocol demands"
            case .memory: "requests were refused: connections hold as much as server.maxBufferedBytes"
            case .streams:
                "event streams or long polls were refused: as many are open as server.maxStreams or "
                    + "server.maxStreamsPerAddress"
            }
        }
    }

    private let logger: Logger
    private let told = Locked<[Reason: Told]>([:])

    /// A minute, with a round every 5 seconds.
    private static let quietRounds = 12

    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// Does one round.
    /// - Parameter streams: event streams and long polls refused since the start.
    package func check(_ now: Statistics, streams: Int) {
        for reason in Reason.allCases {
            let count =
                switch reason {
                case .connections: now.refused.overAll
                case .address: now.refused.overAddress
                case .descriptors: now.refused.withoutDescriptor
                case .proxyHeader: now.refused.withoutProxyHeader
                case .memory: now.requestsRefusedForMemory
                case .streams: streams
                }
            guard let more = untold(reason, count) else { continue }
            logger.warning("\(reason.advice)", metadata: ["count": "\(more)"])
        }
    }

    private func untold(_ reason: Reason, _ count: Int) -> Int? {
        told.withLock { told in
            var entry = told[reason] ?? Told()
            defer { told[reason] = entry }
            if entry.quiet > 0 { entry.quiet -= 1 }
            guard entry.quiet == 0, count > entry.count else { return nil }
            let more = count - entry.count
            entry = Told(count: count, quiet: RefusalLog.quietRounds)
            return more
        }
    }
}
