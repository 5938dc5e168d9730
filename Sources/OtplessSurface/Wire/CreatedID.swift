internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The id of a request that was created and not begun, as its caller hands it to the app's SDK: `ARID_` and the 32
/// hexadecimal digits of the session's id.
enum CreatedID {
    private static let prefix = "ARID_"

    static func text(_ id: CorrelationID) -> String { prefix + Hex.text(id.bytes) }

    /// `nil`: it is none.
    static func session(_ text: String) -> CorrelationID? {
        guard text.utf8.starts(with: prefix.utf8),
            let bytes = Hex.bytes(String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)),
            bytes.count == 16
        else { return nil }
        return CorrelationID(bytes: bytes[...])
    }

    static let output = Output<CorrelationID>(.text(pattern: "^ARID_[0-9a-f]{32}$")) { .string(text($0)) }
}

extension ParameterInput where Value == CorrelationID {
    /// The id of any request, also of one that was created.
    static var requestID: ParameterInput {
        ParameterInput(.text(least: 1)) { (text, name) throws(FieldDefect) in
            guard let id = CreatedID.session(text) ?? CorrelationID(text) else {
                throw FieldDefect(name, "is no id of a request")
            }
            return id
        }
    }
}
