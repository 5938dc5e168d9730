package import StrictJSON
internal import Text

/// How callers of an operation authenticate: one of the document's security schemes.
package struct CallerScheme: Sendable, Equatable {
    package let name: String
    private let scheme: @Sendable (_ publicURL: String) -> JSONObject

    /// - Parameter scheme: makes the security scheme object from scheme and authority of the server.
    package init(_ name: String, _ scheme: @escaping @Sendable (_ publicURL: String) -> JSONObject) {
        self.name = name
        self.scheme = scheme
    }

    func object(publicURL: String) -> JSONObject { scheme(publicURL) }

    package static func == (one: CallerScheme, other: CallerScheme) -> Bool { one.name.isSame(as: other.name) }
}
