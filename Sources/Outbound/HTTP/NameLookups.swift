internal import Possession
package import Text

/// Looks a name up, and calls `answer` once with its addresses; empty: it has none, or no server answers.
package typealias NameLookup = @Sendable (_ name: String, _ answer: @escaping @Sendable ([IPAddress]) -> Void) -> Void

/// Look-ups of names that API clients have chosen: decides which begin and which wait.
///
/// The system's look-up cannot be cancelled. A name whose servers never answer occupies a thread for half a minute,
/// even when its call has ended long ago. So there is a limit of running look-ups for each client, and one for all
/// clients together. Calls for the same name share its look-up, even across clients, and the result is used for a
/// minute.
struct NameLookups {
    enum Answer: Equatable {
        case known([IPAddress])
        /// The caller must start the look-up now, and the call waits for it.
        case begins
        case waits
    }

    private struct Known {
        let addresses: [IPAddress]
        let until: ContinuousClock.Instant
    }

    private struct Lookup {
        let client: ClientID
        /// Waiting calls, by number. If none is left, the look-up still continues.
        var calls: [Int]
    }

    private struct Waiting {
        let call: Int
        let name: ByteText
        let client: ClientID
    }

    /// The same time for which libcurl keeps its own look-ups.
    private static let life = Duration.seconds(60)
    /// Beyond this, the oldest is dropped.
    private static let mostKnown = 1024

    private let most: Int
    private let mostOfClient: Int
    private var known: [ByteText: Known] = [:]
    private var underWay: [ByteText: Lookup] = [:]
    private var countOfClient: [ClientID: Int] = [:]
    /// In order of arrival.
    private var waiting: [Waiting] = []

    init(_ limits: OutboundLimits) {
        most = limits.lookups
        mostOfClient = limits.lookupsPerClient
    }

    /// Asks for a name on behalf of a call.
    mutating func ask(
        _ name: ByteText, for call: Int, of client: ClientID, at now: ContinuousClock.Instant
    ) -> Answer {
        if let found = known[name], now < found.until { return .known(found.addresses) }
        return begin(Waiting(call: call, name: name, client: client)) ? .begins : .waits
    }

    /// - Returns: whether the look-up must begin now. If not, the call waits for a running one, or for its turn.
    private mutating func begin(_ asked: Waiting) -> Bool {
        if underWay[asked.name] != nil {
            underWay[asked.name]?.calls.append(asked.call)
            return false
        }
        guard underWay.count < most, countOfClient[asked.client, default: 0] < mostOfClient else {
            waiting.append(asked)
            return false
        }
        underWay[asked.name] = Lookup(client: asked.client, calls: [asked.call])
        countOfClient[asked.client, default: 0] += 1
        return true
    }

    /// Removes a call that no longer waits. A look-up that has begun continues.
    mutating func forget(_ call: Int, _ name: ByteText) {
        underWay[name]?.calls.removeAll { $0 == call }
        waiting.removeAll { $0.call == call }
    }

    /// Records the end of a look-up.
    /// - Parameter addresses: an empty result is not kept.
    /// - Returns: the calls that waited for it, and the names whose look-up must begin now.
    mutating func end(
        _ name: ByteText, _ addresses: [IPAddress], at now: ContinuousClock.Instant
    ) -> (calls: [Int], next: [ByteText]) {
        guard let ended = underWay.removeValue(forKey: name) else { return ([], []) }
        if addresses.isEmpty { known[name] = nil } else { keep(addresses, of: name, at: now) }
        let left = countOfClient[ended.client, default: 1] - 1
        countOfClient[ended.client] = left > 0 ? left : nil
        let asked = waiting
        waiting = []
        let next = asked.filter { begin($0) }.map(\.name)
        return (ended.calls, next)
    }

    private mutating func keep(_ addresses: [IPAddress], of name: ByteText, at now: ContinuousClock.Instant) {
        if known.count >= Self.mostKnown, known[name] == nil {
            known = known.filter { now < $0.value.until }
            if known.count >= Self.mostKnown, let oldest = known.min(by: { $0.value.until < $1.value.until }) {
                known[oldest.key] = nil
            }
        }
        known[name] = Known(addresses: addresses, until: now + Self.life)
    }
}
