internal import Possession

/// The `state` that an app gets when it starts and names with each call: for which API client, and 192 random bits by
/// which its newest request is found. Only this server can make one, and it stores none.
///
/// A state has no end. The vendor's SDK for iOS keeps it on the phone for as long as the app is installed, and keeps it after an error
/// too (otpless-headless-iOS-sdk 2.0.9). A state is a name and opens nothing by itself: requests end by time, and
/// the API client of the app can be revoked.
struct AppState: Sendable {
    /// Older servers wrote the time of the call into the last eight bytes. Apps still have such states.
    static let randomBytes = 24
    private static let nameBytes = 16
    private static let macBytes = 16

    let client: ClientID
    private let random: [UInt8]

    /// - Parameter random: `randomBytes` bytes.
    init(for client: ClientID, random: [UInt8]) {
        precondition(random.count == Self.randomBytes, "a state is found by its random bytes")
        self.client = client
        self.random = random
    }

    /// - Returns: `nil` for a text that this server has not made.
    init?(_ text: String, _ keyed: KeyedDigests) {
        guard text.utf8.count <= 256, let bytes = keyed.bytes(text), bytes.count > Self.randomBytes + Self.macBytes
        else {
            return nil
        }
        let name = String(decoding: bytes[Self.randomBytes..<(bytes.count - Self.macBytes)], as: UTF8.self)
        let random = Array(bytes.prefix(Self.randomBytes))
        guard let client = ClientID(name),
            constantTimeEqual(keyed.appState(random, client), Array(bytes.suffix(Self.macBytes)))
        else { return nil }
        self.init(for: client, random: random)
    }

    func text(_ keyed: KeyedDigests) -> String {
        keyed.text(random + Array(client.text.utf8) + keyed.appState(random, client))
    }

    /// By which the requests of the app are found.
    var name: SessionName { SessionName(.appState, .digest(Array(random.prefix(Self.nameBytes)))) }
}

extension SessionName.Kind {
    /// The state of an app of OTPLESS. It begins one request after the other.
    fileprivate static let appState = SessionName.Kind("otpless_state", isShared: true)
}
