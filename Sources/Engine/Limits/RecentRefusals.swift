package import Possession
internal import Locks

/// Calls about numbers that a limit refused in the last 24 hours, so that an operator can explain why a person got no
/// code.
///
/// A session whose first message is refused is not stored, so there is no timeline. The table is in memory: a restart
/// clears it. Strangers who request messages to many numbers can push out the oldest entries, but can do no other harm.
package final class RecentRefusals: Sendable {
    package struct Refusal: Sendable, Equatable {
        package let limit: LimitName
        package var count: Int
        package var last: Timestamp
    }

    private static let lifetime = Duration.seconds(86_400)

    private let mostNumbers: Int
    private let table = Locked<[PhoneNumber: [Refusal]]>([:])

    /// - Parameter mostNumbers: bounds the memory, at some 200 bytes a number.
    package init(mostNumbers: Int = 10_000) {
        self.mostNumbers = mostNumbers
    }

    package func note(_ limit: LimitName, _ number: PhoneNumber, at now: Timestamp) {
        table.withLock { table in
            if table[number] == nil, table.count >= mostNumbers { makeRoom(&table, at: now) }
            var refusals = table[number] ?? []
            if let index = refusals.firstIndex(where: { $0.limit == limit }) {
                let isOld = now >= refusals[index].last.adding(Self.lifetime)
                refusals[index].count = isOld ? 1 : refusals[index].count + 1
                refusals[index].last = now
            } else {
                refusals.append(Refusal(limit: limit, count: 1, last: now))
            }
            table[number] = refusals
        }
    }

    /// The newest first.
    package func refusals(of number: PhoneNumber, at now: Timestamp) -> [Refusal] {
        let all = table.withLock { $0[number] ?? [] }
        return all.filter { now < $0.last.adding(Self.lifetime) }.sorted { $0.last > $1.last }
    }

    /// Drops the older half, so that a full table is scanned only once in many numbers.
    private func makeRoom(_ table: inout [PhoneNumber: [Refusal]], at now: Timestamp) {
        let lasts = table.values.compactMap { $0.map(\.last).max() }.sorted()
        let border = max(lasts[lasts.count / 2], now.adding(.zero - Self.lifetime))
        table = table.filter { $0.value.contains { $0.last > border } }
    }
}
