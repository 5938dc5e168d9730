/// The anti-money-laundering lists on which a person is found (know your customer).
package struct KYCFindings: Sendable, Equatable, CustomStringConvertible {
    /// The hits of one kind of list.
    package struct ListType: Sendable, Equatable, CustomStringConvertible {
        package let amlType: String
        package let listHits: Int
        package let fields: [Field]

        package init(amlType: String, listHits: Int, fields: [Field] = []) {
            self.amlType = amlType
            self.listHits = listHits
            self.fields = fields
        }

        package var description: String { "<hits of a list>" }
    }

    /// One entry of a list, as in its source.
    package struct Field: Sendable, Equatable, CustomStringConvertible {
        package let name: String
        package let source: String?
        package let value: String

        package init(name: String, source: String?, value: String) {
            self.name = name
            self.source = source
            self.value = value
        }

        package var description: String { "<field of a hit>" }
    }

    package enum Limit {
        package static let hits = 1_000_000
        package static let listTypes = 32
        package static let fields = 64
    }

    package let totalHits: Int
    package let amlTypeLists: [ListType]

    package init(totalHits: Int, amlTypeLists: [ListType] = []) {
        self.totalHits = totalHits
        self.amlTypeLists = amlTypeLists
    }

    package var description: String { "<kyc findings>" }
}
