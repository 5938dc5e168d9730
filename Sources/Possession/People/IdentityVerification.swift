/// How well two data sources confirm a person's data. The reference names the members and their types, but no ranges or
/// units. Nothing is computed from them.
package struct IdentityVerification: Sendable, Equatable, CustomStringConvertible {
    /// Answer of one data source. `nil`, or a member that is `nil`: no answer.
    package struct DataSource: Sendable, Equatable, CustomStringConvertible {
        package var cipConfidence: String?
        package var reasonCodes: [String] = []
        package var address: Address?
        package var email: Email?
        package var identifiers: Identifiers?
        package var name: Name?

        package init() {}

        package var description: String { "<data source>" }
    }

    package struct Address: Sendable, Equatable {
        package var addressScore: Int?
        package var distance: Double?
        package var streetNumber: Int?
        package var street: Bool?
        package var city: Bool?
        package var region: Bool?
        package var postalCode: Bool?

        package init() {}
    }

    package struct Email: Sendable, Equatable {
        package var emailAddress: Bool?

        package init() {}
    }

    package struct Identifiers: Sendable, Equatable {
        package var dob: Bool?
        package var last4: Bool?
        package var ssn: Bool?

        package init() {}
    }

    /// Scores.
    package struct Name: Sendable, Equatable {
        package var firstName: Int?
        package var lastName: Int?
        package var nameScore: Int?

        package init() {}
    }

    /// Maximum score or distance.
    package static let maxFigure = 1_000_000

    package let multiCIPConfidence: String
    package let dataSource1: DataSource?
    package let dataSource2: DataSource?

    package init(multiCIPConfidence: String, dataSource1: DataSource? = nil, dataSource2: DataSource? = nil) {
        self.multiCIPConfidence = multiCIPConfidence
        self.dataSource1 = dataSource1
        self.dataSource2 = dataSource2
    }

    package var description: String { "<identity verification>" }
}
