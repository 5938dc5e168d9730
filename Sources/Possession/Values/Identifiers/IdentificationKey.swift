internal import Text

/// Names of credentials that together identify one person, such as `email` and `birthDate`.
package struct IdentificationKey: Sendable, Equatable {
    package static let mostNames = 8

    /// In byte order, each once.
    package let names: [String]

    /// - Parameter names: 1 to `mostNames` different names, each as long as `Identification` allows; otherwise `nil`.
    package init?(_ names: [String]) {
        guard names.count <= Self.mostNames,
            let sorted = Identification(names.map { Identification.Entry($0, "") })?.entries.map(\.name)
        else { return nil }
        self.names = sorted
    }

    package static func == (left: IdentificationKey, right: IdentificationKey) -> Bool {
        left.names.map { ByteText($0) } == right.names.map { ByteText($0) }
    }

    /// Whether an identification has these names and no others.
    package func opens(_ said: Identification) -> Bool {
        said.entries.count == names.count && zip(said.entries, names).allSatisfy { $0.name.isSame(as: $1) }
    }
}
