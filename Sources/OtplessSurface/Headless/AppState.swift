internal import Possession

/// The `state` that an app gets when it starts and names with each call: for which API client, since when, and 128 random
/// bits by which its newest request is found. Only this server can make one, and it stores none.
struct AppState: Sendable {
    static let lifetime = Duration.seconds(86_400)
    private static let randomBytes = 16
    private static let timeBytes = 8
    private static let macBytes = 16

    let client: ClientID
    private let random: [UInt8]
    private let since: Timestamp

    /// - Parameter random: 16 bytes.
    init(for client: ClientID, random: [UInt8], at now: Timestamp) {
        self.client = client
        self.random = random
        since = now
    }

    /// - Returns: `nil` for a text that is none of this server's, or is older than a day.
    init?(_ text: String, at now: Timestamp, _ keyed: KeyedDigests) {
        let head = Self.randomBytes + Self.timeBytes
        guard text.utf8.count <= 256, let bytes = keyed.bytes(text), bytes.count > head + Self.macBytes else {
            return nil
        }
        let name = String(decoding: bytes[head..<(bytes.count - Self.macBytes)], as: UTF8.self)
        guard let client = ClientID(name),
            constantTimeEqual(keyed.appState(Array(bytes.prefix(head)), client), Array(bytes.suffix(Self.macBytes)))
        else { return nil }
        self.client = client
        random = Array(bytes.prefix(Self.randomBytes))
        let milliseconds = bytes[Self.randomBytes..<head].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        since = Timestamp(milliseconds: Int64(clamping: milliseconds))
        guard now < since.adding(Self.lifetime) else { return nil }
    }

    func text(_ keyed: KeyedDigests) -> String {
        let time = UInt64(clamping: since.milliseconds)
        let given = random + (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - $0 * 8)) }
        return keyed.text(given + Array(client.text.utf8) + keyed.appState(given, client))
    }

    /// By which the requests of the app are found.
    var name: SessionName { SessionName(.appState, .digest(random)) }
}

extension SessionName.Kind {
    /// The state of an app of OTPLESS. It begins one request after the other.
    fileprivate static let appState = SessionName.Kind("otpless_state", isShared: true)
}
