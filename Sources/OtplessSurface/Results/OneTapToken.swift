internal import Possession

/// The token of a request that has succeeded: the session's id, and 128 bits that only this server can compute for this
/// client. It is not stored.
enum OneTapToken {
    static let lifetime = Duration.seconds(3600)

    static func text(of session: CorrelationID, for client: ClientID, _ keyed: KeyedDigests) -> String {
        keyed.text(session.bytes + keyed.result(session, client))
    }

    /// The session of a token; `nil`: this server did not make the token for this client.
    static func session(of text: String, for client: ClientID, _ keyed: KeyedDigests) -> CorrelationID? {
        guard let bytes = keyed.bytes(text), bytes.count == 32 else { return nil }
        let session = CorrelationID(bytes: bytes[0..<16])
        return constantTimeEqual(keyed.result(session, client), Array(bytes[16...])) ? session : nil
    }
}
