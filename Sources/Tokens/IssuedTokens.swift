internal import Locks
internal import Engine
internal import Possession
internal import Text

/// Auth tokens that this process signed and that no client has sent yet. Their signature need not be checked, which
/// saves time: a check takes longer than a signature.
///
/// A table of fixed size. The digest of a token determines its only slot, and a newer token replaces an older one
/// there. The table is allocated once: many small objects that live for seconds would scatter the heap. A caller cannot
/// choose a slot, because the server generates the content that it signs.
final class IssuedTokens: Sendable {
    private struct Table {
        /// Digest, signature, auth ID, nonce and expiry in seconds of each slot, one slot after the other; an expiry of
        /// 0: the slot is empty.
        var words: [UInt64]
        /// How often the table was cleared.
        var epoch = 0
    }

    private enum Offset {
        static let authID = 12
        static let nonce = 14
        static let expiry = 16
    }

    private static let wordsEach = 17
    /// The only length of a nonce that is remembered.
    private static let nonceBytes = 16

    private let places: Int
    private let table: Locked<Table>

    init(places: Int) {
        self.places = max(1, places)
        table = Locked(Table(words: [UInt64](repeating: 0, count: self.places * Self.wordsEach)))
    }

    /// The number of the current epoch; clearing the table begins a new one. Read it before a token for `insert` is
    /// signed.
    var epoch: Int { table.withLock { $0.epoch } }

    /// - Parameters:
    ///   - signed: the token's digest and raw signature.
    ///   - nonce: its bytes; the token contains them as base64url.
    ///   - expiry: `exp`.
    ///   - epoch: read before the token was signed. A token signed before the table was cleared is not stored.
    func insert(_ signed: JWS.Signed, _ authID: AuthID, nonce: [UInt8], expiry: Int64, since epoch: Int) {
        guard nonce.count == Self.nonceBytes, expiry > 0 else { return }
        var place: [UInt64] = []
        place.reserveCapacity(Self.wordsEach)
        for bytes in [signed.digest, signed.signature] { Self.append(bytes, to: &place) }
        place.append(UInt64(truncatingIfNeeded: authID.bits >> 64))
        place.append(UInt64(truncatingIfNeeded: authID.bits))
        Self.append(nonce, to: &place)
        place.append(UInt64(expiry))
        let start = start(of: place[0])
        table.withLock { table in
            guard table.epoch == epoch else { return }
            for index in place.indices { table.words[start + index] = place[index] }
        }
    }

    /// Returns the claims of a token that was signed here, and removes it.
    /// - Parameter token: any text.
    func take(_ token: String) -> AuthTokenClaims? {
        let text = Array(token.utf8)
        guard let dot = text.lastIndex(of: UInt8(ascii: ".")), let signature = Base64URL.decode(text[(dot + 1)...]),
            signature.count == ECDSASignature.rawSize
        else { return nil }
        var key: [UInt64] = []
        Self.append(SHA256.digest(text[..<dot]), to: &key)
        Self.append(signature, to: &key)
        let start = start(of: key[0])
        let place: [UInt64]? = table.withLock { table in
            guard table.words[start + Offset.expiry] != 0 else { return nil }
            // Compares every word: the time does not reveal how much of a signature was right.
            var difference: UInt64 = 0
            for index in key.indices { difference |= key[index] ^ table.words[start + index] }
            guard difference == 0 else { return nil }
            let place = Array(table.words[start..<(start + Self.wordsEach)])
            table.words[start + Offset.expiry] = 0
            return place
        }
        return place.map(Self.claims)
    }

    func removeAll() {
        table.withLock { table in
            table.words = [UInt64](repeating: 0, count: table.words.count)
            table.epoch += 1
        }
    }

    /// Tokens remembered now.
    var count: Int {
        table.withLock { table in
            (0..<places).count { table.words[$0 * Self.wordsEach + Offset.expiry] != 0 }
        }
    }

    private func start(of word: UInt64) -> Int { Int(word % UInt64(places)) * Self.wordsEach }

    private static func claims(_ place: [UInt64]) -> AuthTokenClaims {
        let bits = UInt128(place[Offset.authID]) << 64 | UInt128(place[Offset.authID + 1])
        let nonce = place[Offset.nonce..<Offset.expiry].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
        return AuthTokenClaims(
            authID: AuthID(bits: bits), nonce: Base64URL.encode(nonce),
            expiresAt: Timestamp(seconds: Int64(place[Offset.expiry])))
    }

    /// - Parameter bytes: a multiple of eight.
    private static func append(_ bytes: [UInt8], to words: inout [UInt64]) {
        for start in stride(from: 0, to: bytes.count, by: 8) {
            var word: UInt64 = 0
            for index in start..<(start + 8) { word = word << 8 | UInt64(bytes[index]) }
            words.append(word)
        }
    }
}
