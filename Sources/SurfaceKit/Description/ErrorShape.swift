/// The shape of an error's body, and its relation to the shape of the engine's own failures.
package struct ErrorShape: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// `{"code":8001,"message":"..."}`, the same as the engine's failures.
        case coded
        /// The same with further members, which the engine's failures do not have.
        case extended
        /// Another shape: a status that has both uses either.
        case separate
        /// An HTML page.
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

    /// The schema of statuses with either shape.
    package var orFailure: (name: String, schema: Schema) {
        (name + "OrFailure", .any(of: [.named(name), .named(Self.coded.name)]))
    }
}
