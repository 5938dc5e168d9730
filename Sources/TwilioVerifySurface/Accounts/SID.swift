internal import Text

/// An identifier in Twilio's form: two letters for the kind of object, and 32 hexadecimal digits.
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
    /// 16 bytes.
    let bytes: [UInt8]

    /// - Precondition: `bytes` has 16 bytes.
    init(_ kind: Kind, _ bytes: [UInt8]) {
        precondition(bytes.count == 16, "a SID has 16 bytes")
        self.kind = kind
        self.bytes = bytes
    }

    /// Accepts digits in either case. `nil`: the text has another form, or is a SID of another kind.
    init?(_ text: String, of kind: Kind) {
        guard text.utf8.count == Self.textBytes, text.begins(with: kind.rawValue),
            let bytes = Hex.bytes(String(Substring(text.utf8.dropFirst(2))))
        else { return nil }
        self.init(kind, bytes)
    }

    /// With digits in lower case.
    var text: String { kind.rawValue + Hex.text(bytes) }
}
