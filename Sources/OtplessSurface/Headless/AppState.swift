internal import Possession

/// The `state` that an app gets at its start and sends with each call: the id of its API client and 192 random bits.
/// The first 128 bits find the app's newest request. Only this server can make a state, and it stores none.
///
/// A state does not expire. The vendor's SDK for iOS keeps it on the phone as long as the app is installed, also after
/// an error (otpless-headless-iOS-sdk 2.0.9). A state by itself gives access to nothing: requests expire, and the
/// operator can revoke the app's API client.
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

    /// - Returns: `nil`: this server did not make the text.
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

    /// The name that finds the app's requests.
    var name: SessionName { SessionName(.appState, .digest(Array(random.prefix(Self.nameBytes)))) }
}

extension SessionName.Kind {
    /// The state of an OTPLESS app. The app uses it for one request after another.
    fileprivate static let appState = SessionName.Kind("otpless_state", isShared: true)
}
