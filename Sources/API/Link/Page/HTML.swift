/// A piece of HTML. What is written in the program is markup; every text put into it is escaped, so that no value can
/// become markup by being forgotten.
///
///     let line: HTML = "<p>\(name)</p>"
struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    let text: String

    static let empty: HTML = ""

    init(stringLiteral value: String) {
        text = value
    }

    /// Takes the text as markup: for what stands in the program.
    init(trusted text: String) {
        self.text = text
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// For elements' content and for attributes in double quotes.
        mutating func appendInterpolation(_ value: String) {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }

        mutating func appendInterpolation(_ markup: HTML) {
            text += markup.text
        }
    }
}
