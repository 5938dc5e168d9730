/// A number that a tenant manages ("Identity Manager"): from its enrolment until the tenant removes it.
package struct Identity: Sendable, Equatable {
    package enum Limit {
        /// Maximum attributes of one identity.
        package static let attributes = 20
        /// Maximum length of an attribute's name and value, in Unicode scalars.
        package static let attributeNameCharacters = 64
        package static let attributeValueCharacters = 256
        /// Maximum items of one call that enrols.
        package static let batch = 100
        /// Identities in one response: the default, and the maximum.
        package static let defaultPage = 100
        package static let page = 1000
    }

    /// The tenant's own ids for an identity. They should contain no personal data.
    package struct References: Sendable, Equatable {
        package var clientCustomerID: String?
        package var clientHumanID: String?
        package var deviceID: DeviceID?

        package init(clientCustomerID: String? = nil, clientHumanID: String? = nil, deviceID: DeviceID? = nil) {
            self.clientCustomerID = clientCustomerID
            self.clientHumanID = clientHumanID
            self.deviceID = deviceID
        }

        /// These references, replaced by those that `others` has.
        package func replaced(by others: References) -> References {
            References(
                clientCustomerID: others.clientCustomerID ?? clientCustomerID,
                clientHumanID: others.clientHumanID ?? clientHumanID, deviceID: others.deviceID ?? deviceID)
        }
    }

    package let id: HolderID
    package let number: PhoneNumber
    /// An inactive one is left out of lists, and linked tenants do not see it.
    package let isActive: Bool
    package let createdAt: Timestamp
    package let references: References

    package init(id: HolderID, number: PhoneNumber, isActive: Bool, createdAt: Timestamp, references: References) {
        self.id = id
        self.number = number
        self.isActive = isActive
        self.createdAt = createdAt
        self.references = references
    }
}

/// Attribute that a tenant gives an identity, with a name of its choice: `loyaltyTier`, `gold`. Personal data.
package struct IdentityAttribute: Sendable, Equatable, CustomStringConvertible {
    /// 1 to 64 characters, unique in an identity. `discover` and `fetch` call it `attributeId`.
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    package var description: String { "<attribute>" }
}

extension [IdentityAttribute] {
    /// Adds `others`. An attribute with an existing name replaces it. Names are compared exactly.
    package func merging(_ others: [IdentityAttribute]) -> [IdentityAttribute] {
        var merged = self
        for attribute in others {
            let isSame = { (other: IdentityAttribute) in other.name.utf8.elementsEqual(attribute.name.utf8) }
            if let index = merged.firstIndex(where: isSame) {
                merged[index] = attribute
            } else {
                merged.append(attribute)
            }
        }
        return merged
    }
}

/// An identity of another tenant.
package struct LinkedIdentity: Sendable, Equatable {
    package let id: HolderID
    package let domain: Domain

    package init(id: HolderID, domain: Domain) {
        self.id = id
        self.domain = domain
    }
}

/// An attribute and the tenant that set it.
package struct IssuedAttribute: Sendable, Equatable {
    package let attribute: IdentityAttribute
    package let issuer: DomainID

    package init(_ attribute: IdentityAttribute, issuer: DomainID) {
        self.attribute = attribute
        self.issuer = issuer
    }
}
