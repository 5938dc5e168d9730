internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The id of a created request that has not begun. The caller hands it to the app's SDK: `ARID_` and the 32 hexadecimal
/// digits of the session's id.
enum CreatedID {
    private static let prefix = "ARID_"

    static func text(_ id: CorrelationID) -> String { prefix + Hex.text(id.bytes) }

    /// The session of any request id: with or without the prefix, with or without the hyphens of a UUID.
    /// - Returns: `nil`: the text is not such an id.
    static func session(_ text: String) -> CorrelationID? {
        if let id = CorrelationID(text) { return id }
        let hasPrefix = text.utf8.starts(with: prefix.utf8)
        let digits = text.utf8.dropFirst(hasPrefix ? prefix.utf8.count : 0)
        guard digits.count == 32, let bytes = Hex.bytes(String(decoding: digits, as: UTF8.self)) else { return nil }
        return CorrelationID(bytes: bytes[...])
    }

    static let output = Output<CorrelationID>(.text(pattern: "^ARID_[0-9a-f]{32}$")) { .string(text($0)) }
}
