/// Virtual time, in milliseconds since the simulation began.
typealias Moment = Int64

extension Moment {
    static let second: Moment = 1000
    static let minute: Moment = 60_000
    static let hour: Moment = 3_600_000
    static let day: Moment = 86_400_000
}

/// A number, as its E.164 digits.
struct SimulatedNumber: Hashable, Sendable {
    let digits: UInt64
    /// The place of its country in `Traffic.countries`.
    let country: Int

    var e164: String { "+\(digits)" }
    /// The number without its last four digits.
    var prefix: UInt64 { digits / 10_000 }
    /// The number without its last three digits.
    var block: UInt64 { digits / 1000 }
}

/// A caller's address: IPv4, or the upper 64 bits of IPv6.
struct CallerAddress: Hashable, Sendable {
    private let value: UInt64
    let isIPv4: Bool

    init(ipv4: UInt32) { (value, isIPv4) = (UInt64(ipv4), true) }
    init(ipv6Upper: UInt64) { (value, isIPv4) = (ipv6Upper, false) }

    /// The IPv4 address, or the /64.
    var key: UInt64 { value }
    /// The /24 or /48.
    var network: UInt64 { isIPv4 ? value >> 8 : value >> 16 | 1 << 62 }
    /// The /32 of an IPv6 address.
    var slash32: UInt64? { isIPv4 ? nil : value >> 32 }
    /// Four or sixteen bytes, as a parser of addresses takes them.
    var bytes: [UInt8] {
        isIPv4
            ? (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
            : (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } + [0, 0, 0, 0, 0, 0, 0, 1]
    }
}

/// A session that asks for messages to one number.
struct SimulatedSession: Sendable {
    /// A number was proven at this API client before.
    struct Proof: Sendable {
        let address: CallerAddress?
    }

    let id: Int
    let client: Int
    let number: SimulatedNumber
    /// `nil`: the backend names none.
    let address: CallerAddress?
    /// `nil`: the number is not proven at this API client.
    let proof: Proof?
}

/// The limit that refused a message. A caller is not told which; attackers of the simulation know, which only helps them.
enum SimulatedLimit: String, Sendable, CaseIterable {
    case number, address, network
    /// A network in a prefix.
    case pair
    case prefix, country

    /// It holds for everybody, or for all unknown networks.
    var isShared: Bool { self == .prefix || self == .country }
}

enum Verdict: Sendable, Equatable {
    case sent
    case refused(SimulatedLimit)
}

/// How a prefix or a country stands for an API client.
enum Standing: Int, Sendable, CaseIterable {
    case open, watched, sourced, closed
}

/// The rules under test: a value without clock, so that a run can be copied and continued in several ways.
protocol SendRules: Sendable {
    /// Sends and counts a message, or refuses it and changes nothing.
    mutating func ask(_ session: SimulatedSession, at now: Moment) -> Verdict
    /// The code of a session came back.
    mutating func answered(_ session: SimulatedSession, at now: Moment)
    /// A receipt says that the last message of a session was not delivered.
    mutating func undelivered(_ session: SimulatedSession, at now: Moment)
    func standing(ofPrefixOf number: SimulatedNumber, client: Int, at now: Moment) -> Standing
    func standing(ofCountryOf number: SimulatedNumber, client: Int, at now: Moment) -> Standing
}
