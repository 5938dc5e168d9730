internal import Text

/// The path segments at the places where the route pattern has `{name}`, percent-decoded once.
package struct PathParameters: Sendable, Equatable {
    private let pairs: [(name: String, value: String)]

    package init(_ pairs: [(name: String, value: String)] = []) {
        self.pairs = pairs
    }

    package subscript(name: String) -> String? {
        pairs.first { $0.name.isSame(as: name) }?.value
    }

    package static func == (left: PathParameters, right: PathParameters) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0.name.isSame(as: $1.name) && $0.value.isSame(as: $1.value) }
    }
}
