internal import Engine
internal import Possession
internal import SurfaceKit

/// The rules of codes. The specification lets the operator choose length, lifetime and tries.
enum CamaraRules {
    static let length = 6
    static let lifetimeSeconds = 300
    /// Codes that may be tried, including the right one.
    static let tries = 3
    /// The most characters of a message whose text the caller writes.
    static let mostCharacters = 160
    static let placeholder = "{{code}}"

    /// The order for one code. It is never sent again.
    static func order(to recipient: Recipient, _ template: MessageTemplate) -> VerificationOrder {
        var order = VerificationOrder(.camara, to: recipient)
        order.code = .init(length: length, lifetimeSeconds: lifetimeSeconds, tries: tries)
        order.window = .init(sends: 1, lifetimeSeconds: lifetimeSeconds)
        order.channels = [.sms]
        order.wording.template = template
        return order
    }

    /// The caller's text as the engine's template, with a run of `#` in place of the code.
    /// - Throws: the rule that the text breaks.
    static func template(of message: String) throws(FieldDefect) -> MessageTemplate {
        let bytes = Array(message.utf8)
        let wanted = Array(placeholder.utf8)
        let starts = bytes.indices.filter { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }
        guard let start = starts.first else { throw FieldDefect("message", "must contain \(placeholder)") }
        guard starts.count == 1 else { throw FieldDefect("message", "must contain \(placeholder) once") }
        let filled =
            bytes[..<start] + [UInt8](repeating: UInt8(ascii: "#"), count: length)
            + bytes[(start + wanted.count)...]
        do throws(MessageTemplate.Defect) {
            return try MessageTemplate(String(decoding: filled, as: UTF8.self), lengths: length...length)
        } catch {
            switch error {
            case .tooLong: throw FieldDefect("message", "is longer than \(mostCharacters) characters")
            case .noPlaceholder, .severalPlaceholders: throw FieldDefect("message", "must not contain #")
            case .controlCharacter: throw FieldDefect("message", "has a control character, or one that is not visible")
            case .containsURL: throw FieldDefect("message", "must not contain a link")
            }
        }
    }
}
