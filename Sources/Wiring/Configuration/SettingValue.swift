/// The value of a setting, as one source has it.
enum SettingValue: Sendable, Equatable {
    /// The text of a flag or variable: the setting's form decides how it is read.
    case words(String)
    case text(String)
    case integer(Int)
    case flag(Bool)
    /// A value of a type that no setting has; the reader finds and refuses it.
    case other

    var text: String? {
        switch self {
        case .words(let text), .text(let text): text
        case .integer, .flag, .other: nil
        }
    }

    var integer: Int? {
        switch self {
        case .words(let words): Int(words)
        case .integer(let integer): integer
        case .text, .flag, .other: nil
        }
    }

    var flag: Bool? {
        switch self {
        case .words(let words):
            switch words.lowercased() {
            case "true", "yes", "1": true
            case "false", "no", "0": false
            default: nil
            }
        case .flag(let flag): flag
        case .text, .integer, .other: nil
        }
    }
}
