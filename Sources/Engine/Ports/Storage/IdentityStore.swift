package import Possession

/// Stores the numbers that a tenant knows, its data about them, and the tenants that may see it.
package protocol IdentityStore: Sendable {
    /// The number of a tenant's holder, enrolled or not, or `nil`.
    func number(of id: HolderID, of client: ClientID) async throws(StorageFault) -> PhoneNumber?

    /// Enrols in order, as one step. An enrolled number keeps its id, its time and its active state. Values in the
    /// order replace stored ones, and other values are kept. A number that was only proven also keeps its id.
    /// - Parameters:
    ///   - fresh: one id for each enrolment, in rising order, for numbers without an id.
    ///   - teller: makes events for enrolled identities and for changed references and attributes; `nil`: no events are
    ///     made.
    func enrol(
        _ enrolments: [Enrolment], of client: ClientID, fresh: [HolderID], telling teller: WebhookEventFactory?,
        at now: Timestamp
    ) async throws(StorageFault) -> [EnrolmentOutcome]

    /// The enrolled identity with this id or number, or `nil`.
    func identity(_ id: HolderID, of client: ClientID) async throws(StorageFault) -> Identity?
    func identity(_ number: PhoneNumber, of client: ClientID) async throws(StorageFault) -> Identity?

    /// The tenant's identities after `after`, in the order of their ids; `nil`: from the first one on.
    func identities(
        of client: ClientID, after: HolderID?, limit: Int, includingInactive: Bool
    ) async throws(StorageFault) -> [HolderID]

    /// `false`: the tenant has no such identity.
    /// - Parameter teller: makes an event if the state changes.
    func setActive(
        _ isActive: Bool, _ id: HolderID, of client: ClientID, telling teller: WebhookEventFactory?
    ) async throws(StorageFault) -> Bool
}

/// An identity to enrol.
package struct Enrolment: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case number(PhoneNumber)
        /// Number of an identity: one of the tenant's own, or an active one at a linked domain, if the tenant already
        /// knows the number or the link's scopes include `phoneNumber`.
        case identity(HolderID, at: DomainID?)
    }

    package let subject: Subject
    package var references: Identity.References
    /// Added to those of the identity. An attribute of the same name is replaced.
    package var attributes: [IdentityAttribute]

    package init(
        _ subject: Subject, references: Identity.References = .init(), attributes: [IdentityAttribute] = []
    ) {
        self.subject = subject
        self.references = references
        self.attributes = attributes
    }
}

package enum EnrolmentOutcome: Sendable, Equatable {
    case enrolled(HolderID)
    /// The tenant cannot see such an identity.
    case unknownIdentity
    /// It would have more than `Identity.Limit.attributes`.
    case tooManyAttributes
}
