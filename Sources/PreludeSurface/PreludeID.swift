package import Possession

/// Identifiers as Prelude writes them: a prefix, and 128 bits in 26 characters of lower-case base32 (Crockford). The
/// text contains the whole identifier, so no table maps one to the other.
package enum PreludeID {
    package static let verification = "vrf_"
    static let prediction = "prd_"
    static let evaluation = "evl_"
    static let attempt = "att_"
    static let event = "evt_"
    static let deliveryStatus = "dls_"

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let characters = 26

    package static func text(_ id: some Identifier, _ prefix: String = verification) -> String {
        let bits = id.bits
        let digits = (0..<characters).map { place in alphabet[Int(truncatingIfNeeded: bits >> (125 - 5 * place) & 31)] }
        return prefix + String(decoding: digits, as: UTF8.self)
    }

    /// `nil`: the text is not the canonical spelling of an identifier.
    package static func identifier<ID: Identifier>(
        _ text: String, _ prefix: String = verification, as type: ID.Type = ID.self
    ) -> ID? {
        let bytes = text.utf8
        guard bytes.count == prefix.utf8.count + characters, bytes.starts(with: prefix.utf8) else { return nil }
        let digits = bytes.dropFirst(prefix.utf8.count)
        var bits: UInt128 = 0
        for (place, byte) in digits.enumerated() {
            guard let value = alphabet.firstIndex(of: byte), place > 0 || value < 8 else { return nil }
            bits = bits << 5 | UInt128(value)
        }
        return ID(bits: bits)
    }
}
