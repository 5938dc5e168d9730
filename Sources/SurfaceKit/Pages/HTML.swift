/// A piece of HTML. Literals of the program are markup; every interpolated text is escaped, so that a forgotten escape
/// cannot turn a value into markup.
///
///     let line: HTML = "<p>\(name)</p>"
package struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    package let text: String

    package static let empty: HTML = ""

    package init(stringLiteral value: String) {
        text = value
    }

    /// Takes the text as markup: only for texts of the program.
    package init(trusted text: String) {
        self.text = text
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Escapes for element content and for attributes in double quotes.
        package mutating func appendInterpolation(_ value: String) {
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

        package mutating func appendInterpolation(_ markup: HTML) {
            text += markup.text
        }
    }
}
