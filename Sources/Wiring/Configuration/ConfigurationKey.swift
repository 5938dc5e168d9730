/// The name of a setting, its form and its description, for the sources, messages and the documentation.
///
/// `server.publicUrl` in the file is `HOLDFAST_SERVER_PUBLIC_URL` in the environment.
package struct ConfigurationKey: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case text
        /// A relative path starts at the file that contains it, else at the working directory.
        case path
        case integer(ClosedRange<Int>)
        case choice([String])
        case flag
        /// Texts separated by commas or blanks; in the file also an array of them.
        case list
        /// An object in the file. The environment cannot have one.
        case object
    }

    /// Members of the file's objects, joined by dots.
    package let path: String
    package let form: Form
    /// The default value, in words.
    package let standard: String
    /// The purpose of the setting, in one sentence.
    package let summary: String

    /// The rule for the value, as error messages state it.
    var demand: String {
        switch form {
        case .text, .path: "must be a string that is not empty"
        case .integer(let range): "must be an integer from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let names): "must be one of: " + names.joined(separator: ", ")
        case .flag: "must be true or false"
        case .list: "must be a text with commas between its entries, or an array of texts"
        case .object: "must be an object"
        }
    }

    /// Whether a `live` configuration must not have it (contract section 4).
    var isForSandboxOnly: Bool { path.hasPrefix("sandbox.") }
}

extension ConfigurationKey: ExpressibleByStringLiteral {
    /// The keys of `Setting.all`, in its order.
    package static let all = Setting.all.map(\.key)

    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    /// The key of a setting in the table. Code names settings by their path.
    package init(stringLiteral path: String) {
        guard let key = Self.byPath[path] else { preconditionFailure("there is no setting \(path)") }
        self = key
    }

    static var mode: ConfigurationKey { "mode" }
    static var publicURL: ConfigurationKey { "server.publicUrl" }
    static var dataDirectory: ConfigurationKey { "data.directory" }
}
