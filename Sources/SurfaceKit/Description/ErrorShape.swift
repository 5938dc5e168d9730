/// The shape of an error's body, and how it stands beside the shape of the engine's own failures.
package struct ErrorShape: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// `{"code":8001,"message":"..."}`, as the engine's failures.
        case coded
        /// The same with members of its own, which the engine's failures lack.
        case extended
        /// Another shape: a status that has both has either.
        case separate
        /// A page.
        case page
    }

    /// The name of its schema in the document.
    package let name: String
    package let kind: Kind

    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    package static let coded = ErrorShape("CodedError", .coded)
    package static let page = ErrorShape("ErrorPage", .page)

    /// The schema of statuses that have either shape.
    package var orFailure: (name: String, schema: Schema) {
        (name + "OrFailure", .any(of: [.named(name), .named(Self.coded.name)]))
    }
}
