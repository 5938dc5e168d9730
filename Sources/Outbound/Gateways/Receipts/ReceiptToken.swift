internal import Possession
internal import StrictJSON
internal import Text

/// A token that a carrier sends with a receipt: JWT (RFC 7519) with HMAC.
///
///     guard let token = ReceiptToken(text, key: key, crypto), token.isText("iss", "Vonage") else { return false }
struct ReceiptToken {
    private static let maxBytes = 4_096
    /// How far the carrier's clock may differ from ours, in seconds, when the token states its validity.
    private static let leeway: Int64 = 30

    /// HMAC with SHA-2 (RFC 7518 section 3.2).
    enum Algorithm: String, CaseIterable {
        case hs256 = "HS256"
        case hs384 = "HS384"
        case hs512 = "HS512"

        fileprivate var hash: GatewayCrypto.Hash {
            switch self {
            case .hs256: .sha256
            case .hs384: .sha384
            case .hs512: .sha512
            }
        }
    }

    private let claims: JSONObject
    private let crypto: GatewayCrypto

    /// - Parameter algorithms: those that the carrier may sign with. A header that names another one, or a critical
    ///   extension, is refused (RFC 8725 section 3.1).
    /// - Returns: `nil` if this key did not sign the token.
    init?(_ text: String, key: String, by algorithms: [Algorithm] = [.hs256], _ crypto: GatewayCrypto) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Self.object(parts[0]), let name = head["alg"]?.string,
            let algorithm = algorithms.first(where: { name.isSame(as: $0.rawValue) }),
            head["crit"] == nil, let code = Self.bytes(parts[2])
        else { return nil }
        let signed = Array(text.utf8.dropLast(parts[2].count + 1))
        guard constantTimeEqual(code, crypto.hmac(algorithm.hash, Array(key.utf8), signed)),
            let claims = Self.object(parts[1])
        else { return nil }
        (self.claims, self.crypto) = (claims, crypto)
    }

    func has(_ name: String) -> Bool { claims[name] != nil }

    func isText(_ name: String, _ text: String) -> Bool { claims[name]?.string?.isSame(as: text) == true }

    /// Whether a claim is the SHA-256 of `bytes`.
    func isDigest(_ name: String, of bytes: [UInt8]) -> Bool {
        guard let text = claims[name]?.string, let digest = Hex.bytes(text) else { return false }
        return constantTimeEqual(digest, crypto.digest(.sha256, bytes))
    }

    /// Whether the time in a claim is at most `tolerance` seconds from now.
    func isRecent(_ name: String, _ tolerance: Int64, at now: Int64) -> Bool {
        guard let time = time(name) else { return false }
        return abs(now - time) <= tolerance
    }

    /// Whether the token is already valid (`nbf`) and not expired (`exp`); claims that are missing are not checked.
    func isInForce(at now: Int64) -> Bool {
        for name in ["nbf", "exp"] where has(name) && time(name) == nil { return false }
        if let start = time("nbf"), now + Self.leeway < start { return false }
        if let end = time("exp"), now - Self.leeway >= end { return false }
        return true
    }

    /// In seconds since 1970, up to the year 9999.
    private func time(_ name: String) -> Int64? {
        claims[name]?.integer.flatMap { (0...253_402_300_799).contains($0) ? $0 : nil }
    }

    private static func object(_ part: Substring.UTF8View.SubSequence) -> JSONObject? {
        bytes(part).flatMap { try? JSONObject.parse($0) }
    }

    /// Base64url without padding (RFC 4648 section 5).
    private static func bytes(_ part: Substring.UTF8View.SubSequence) -> [UInt8]? {
        var text: [UInt8] = []
        for byte in part {
            switch byte {
            case UInt8(ascii: "-"): text.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): text.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: text.append(byte)
            }
        }
        return Base64.decode(text + Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
    }
}
