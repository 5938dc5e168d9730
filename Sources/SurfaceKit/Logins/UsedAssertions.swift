internal import Locks
package import Engine
package import Possession
internal import Text

/// Client assertions that were used at this server: each is accepted only once (RFC 7523 section 3, item 7). They are
/// kept in memory, because they live for five minutes. `UsedNameStore` does the same over several servers. It is asked
/// second, so this memory bounds what one client can add there.
///
/// Only the holder of an API client's key can add one. Each client has its own memory of limited size. If it is full,
/// further assertions of this client are refused until some have expired; other clients are not affected. Dropping the
/// oldest instead would let a flood open the way for a replay.
package final class UsedAssertions: Sendable {
    package enum Use: Sendable, Equatable {
        /// The assertion is new, and is now used.
        case new
        /// The assertion was used before.
        case again
        /// The client's memory is full.
        case full(retryAfterSeconds: Int)
    }

    /// The most assertions remembered for one client: 40 a second, at about 200 bytes each.
    private static let mostPerClient = 16_384
    /// How long an assertion is remembered after `exp`. The check of `exp` has a smaller leeway, so a forgotten
    /// assertion is refused as expired.
    private static let leeway = Duration.seconds(60)

    private let clients = Locked<[ByteText: UsedNames]>([:])
    private let most: Int

    package convenience init() { self.init(most: Self.mostPerClient) }

    /// - Parameter most: the most assertions of one client.
    init(most: Int) { self.most = most }

    /// Marks an assertion as used. Its signature must already be verified.
    package func take(_ assertion: ClientAssertion, at now: Timestamp) -> Use {
        let end = assertion.expiresAt.adding(Self.leeway)
        return clients.withLock { clients in
            clients[ByteText(assertion.clientID), default: UsedNames()]
                .use(ByteText(assertion.jti), until: end, at: now, most: most)
        }
    }

    /// Forgets an assertion that `take` has marked and that was not accepted: its caller may send it again.
    package func giveBack(_ assertion: ClientAssertion) {
        clients.withLock { $0[ByteText(assertion.clientID)]?.giveBack(ByteText(assertion.jti)) }
    }

    /// For the memory of all servers.
    package static func name(
        of assertion: ClientAssertion, digest: ([UInt8]) -> [UInt8]
    ) -> UsedName {
        UsedName(
            .assertion, Array(assertion.jti.utf8), of: Array(assertion.clientID.utf8), issuedAt: assertion.issuedAt,
            until: assertion.expiresAt.adding(leeway), digest: digest)
    }
}

/// Used names, each with the second after which it may be forgotten. A look-up or insertion takes constant time; all
/// names of a second are forgotten together.
private struct UsedNames {
    /// The second after which each name may be forgotten.
    private var seconds: [ByteText: Int64] = [:]
    private var bySecond: [Int64: Set<ByteText>] = [:]
    private var cleanedAt = Int64.min

    mutating func use(
        _ name: ByteText, until end: Timestamp, at now: Timestamp, most: Int
    ) -> UsedAssertions.Use {
        forget(before: now.seconds)
        guard seconds[name] == nil else { return .again }
        guard seconds.count < most else {
            let first = bySecond.keys.min() ?? now.seconds
            return .full(retryAfterSeconds: Int(max(1, first + 1 - now.seconds)))
        }
        seconds[name] = end.seconds
        bySecond[end.seconds, default: []].insert(name)
        return .new
    }

    mutating func giveBack(_ name: ByteText) {
        guard let second = seconds.removeValue(forKey: name) else { return }
        bySecond[second]?.remove(name)
        if bySecond[second]?.isEmpty == true { bySecond[second] = nil }
    }

    /// Visits the stored seconds at most once a second. There are as many as an assertion lives.
    private mutating func forget(before second: Int64) {
        guard second != cleanedAt else { return }
        cleanedAt = second
        for past in bySecond.keys where past < second {
            for name in bySecond.removeValue(forKey: past) ?? [] { seconds[name] = nil }
        }
    }
}
