internal import Text

/// A name in Twilio's form: two letters for what it names, and 32 hexadecimal digits.
struct SID: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        case account = "AC"
        case key = "SK"
        case service = "VA"
        case verification = "VE"
        case attempt = "VL"
        case rateLimit = "RK"
        case bucket = "BL"
        case template = "HJ"
        case safeNumber = "GN"
    }

    private static let textBytes = 34

    let kind: Kind
    /// 16 of them.
    let bytes: [UInt8]

    /// - Precondition: `bytes` are 16.
    init(_ kind: Kind, _ bytes: [UInt8]) {
        precondition(bytes.count == 16, "a SID has 16 bytes")
        self.kind = kind
        self.bytes = bytes
    }

    /// Takes digits in either case. `nil` for any other form, and for a SID of another kind.
    init?(_ text: String, of kind: Kind) {
        guard text.utf8.count == Self.textBytes, text.begins(with: kind.rawValue),
            let bytes = Hex.bytes(String(Substring(text.utf8.dropFirst(2))))
        else { return nil }
        self.init(kind, bytes)
    }

    /// With digits in lower case.
    var text: String { kind.rawValue + Hex.text(bytes) }
}
