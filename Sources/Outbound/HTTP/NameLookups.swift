internal import Possession
package import Text

/// Looks a name up, and tells its addresses once; none: it has none, or nobody answers.
package typealias NameLookup = @Sendable (_ name: String, _ answer: @escaping @Sendable ([IPAddress]) -> Void) -> Void

/// The look-ups of names that API clients have chosen: which begin, and which have to wait.
///
/// The system's look-up cannot be ended. A name whose servers never answer keeps a thread for half a minute, also when its
/// call has ended long ago. So each client may have a few under way, and all of them together some more. Calls that ask for
/// one name share its look-up, whoever began it, and what it has told serves for a minute.
struct NameLookups {
    enum Answer: Equatable {
        case known([IPAddress])
        /// Its look-up is to begin now, and the call waits for it.
        case begins
        case waits
    }

    private struct Known {
        let addresses: [IPAddress]
        let until: ContinuousClock.Instant
    }

    private struct Lookup {
        let client: ClientID
        /// Calls, by their number. Without any it goes on all the same.
        var calls: [Int]
    }

    private struct Waiting {
        let call: Int
        let name: ByteText
        let client: ClientID
    }

    /// As long as libcurl keeps what it has looked up itself.
    private static let life = Duration.seconds(60)
    /// One more puts out the oldest.
    private static let mostKnown = 1024

    private let most: Int
    private let mostOfClient: Int
    private var known: [ByteText: Known] = [:]
    private var underWay: [ByteText: Lookup] = [:]
    private var countOfClient: [ClientID: Int] = [:]
    /// In their order.
    private var waiting: [Waiting] = []

    init(_ limits: OutboundLimits) {
        most = limits.lookups
        mostOfClient = limits.lookupsPerClient
    }

    /// A call asks for a name.
    mutating func ask(
        _ name: ByteText, for call: Int, of client: ClientID, at now: ContinuousClock.Instant
    ) -> Answer {
        if let found = known[name], now < found.until { return .known(found.addresses) }
        return begin(Waiting(call: call, name: name, client: client)) ? .begins : .waits
    }

    /// - Returns: whether the look-up is to begin now. If not, the call waits for one that is under way, or for its turn.
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

    /// A call does not wait any more. A look-up that has begun goes on.
    mutating func forget(_ call: Int, _ name: ByteText) {
        underWay[name]?.calls.removeAll { $0 == call }
        waiting.removeAll { $0.call == call }
    }

    /// A look-up has ended.
    /// - Parameter addresses: none is not kept.
    /// - Returns: the calls that waited for it, and the names whose look-up is to begin now.
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
