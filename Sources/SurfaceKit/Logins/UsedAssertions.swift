internal import Locks
package import Possession
internal import Text

/// Client assertions that have been taken: each is taken once (RFC 7523 section 3, item 7). In memory: they live for five
/// minutes.
///
/// Only a holder of an API client's key adds one. Each client has a memory of its own, of bounded size. A full one refuses
/// further assertions of that client until some have expired, and those of no other one: if it forgot the oldest in their
/// place, a flood would let a replay pass.
package final class UsedAssertions: Sendable {
    package enum Use: Sendable, Equatable {
        /// It is taken now.
        case new
        /// It was taken before.
        case again
        /// The client's memory is full.
        case full(retryAfterSeconds: Int)
    }

    /// Assertions of one client that are remembered: 40 a second, at some 200 bytes each.
    private static let mostPerClient = 16_384
    /// Past `exp` an assertion is refused for that; the leeway of that check is well within it.
    private static let leeway = Duration.seconds(60)

    private let clients = Locked<[ByteText: UsedNames]>([:])
    private let most: Int

    package convenience init() { self.init(most: Self.mostPerClient) }

    /// - Parameter most: of one client.
    init(most: Int) { self.most = most }

    /// Takes an assertion whose signature is right.
    package func take(_ assertion: ClientAssertion, at now: Timestamp) -> Use {
        let end = assertion.expiresAt.adding(Self.leeway)
        return clients.withLock { clients in
            clients[ByteText(assertion.clientID), default: UsedNames()]
                .use(ByteText(assertion.jti), until: end, at: now, most: most)
        }
    }
}

/// Names that were used, until they may be forgotten. A name is looked up and added in constant time, and a
/// whole second is forgotten at once.
private struct UsedNames {
    /// The second in which each may be forgotten.
    private var seconds: [ByteText: Int64] = [:]
    private var bySecond: [Int64: [ByteText]] = [:]
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
        bySecond[end.seconds, default: []].append(name)
        return .new
    }

    /// Looks at most once a second at the seconds, of which there are as many as an assertion lives.
    private mutating func forget(before second: Int64) {
        guard second != cleanedAt else { return }
        cleanedAt = second
        for past in bySecond.keys where past < second {
            for name in bySecond.removeValue(forKey: past) ?? [] { seconds[name] = nil }
        }
    }
}
