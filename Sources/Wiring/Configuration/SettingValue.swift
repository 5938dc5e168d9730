/// The value of a setting in one source.
enum SettingValue: Sendable, Equatable {
    /// The text of a flag or variable. The setting's form decides how to read it.
    case words(String)
    case text(String)
    case integer(Int)
    case flag(Bool)
    /// A value of a type that no setting has. The reader refuses it.
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
