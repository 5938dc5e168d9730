/// By which a token is remembered: the digest of what was signed, and behind it the signature as the token spells it. The
/// first bytes of the digest serve as hash value: only tokens we signed are ever stored, and nobody else can choose their
/// digests.
struct SignedTokenKey: Hashable {
    private let bytes: [UInt8]

    init(digest: [UInt8], signature: some Collection<UInt8>) {
        bytes = digest + signature
    }

    /// `nil` for what has no dot, and so is no token.
    init?(_ token: String) {
        let text = Array(token.utf8)
        guard let dot = text.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        self.init(digest: SHA256.digest(text[..<dot]), signature: text[(dot + 1)...])
    }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine($0.loadUnaligned(as: UInt64.self)) }
    }

    /// Looks at every byte, so that its time does not tell how much of a signature was right.
    static func == (left: SignedTokenKey, right: SignedTokenKey) -> Bool {
        guard left.bytes.count == right.bytes.count else { return false }
        var difference: UInt8 = 0
        for index in left.bytes.indices { difference |= left.bytes[index] ^ right.bytes[index] }
        return difference == 0
    }
}
