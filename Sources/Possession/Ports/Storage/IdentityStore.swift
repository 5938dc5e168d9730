/// Numbers that a tenant knows, with its data about them, and the tenants that may see it.
package protocol IdentityStore: Sendable {
    /// The number of a tenant's holder, enrolled or not; `nil`: none.
    func number(of id: HolderID, of client: ClientID) async throws(StorageFault) -> PhoneNumber?

    /// Enrols in order, as one step. A number that is enrolled keeps its id, its time and whether it is active; what the
    /// order brings replaces what was there, and the rest stays. A number that was only proven keeps its id as well.
    /// - Parameters:
    ///   - fresh: as many ids, in rising order; each is used where a number has none yet.
    ///   - teller: told who was enrolled, and whose references or attributes changed; `nil` where nobody is told.
    func enrol(
        _ enrolments: [Enrolment], of client: ClientID, fresh: [HolderID], telling teller: WebhookTeller?,
        at now: Timestamp
    ) async throws(StorageFault) -> [EnrolmentOutcome]

    /// The enrolled identity of this id or number; `nil`: the tenant has none.
    func identity(_ id: HolderID, of client: ClientID) async throws(StorageFault) -> Identity?
    func identity(_ number: PhoneNumber, of client: ClientID) async throws(StorageFault) -> Identity?

    /// The tenant's identities behind `after`, in the order of their ids; from the first one on when it is `nil`.
    func identities(
        of client: ClientID, after: HolderID?, limit: Int, includingInactive: Bool
    ) async throws(StorageFault) -> [HolderID]

    /// `false`: the tenant has no such identity.
    /// - Parameter teller: told when it was otherwise before.
    func setActive(
        _ isActive: Bool, _ id: HolderID, of client: ClientID, telling teller: WebhookTeller?
    ) async throws(StorageFault) -> Bool
}

/// One identity to be enrolled.
package struct Enrolment: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case number(PhoneNumber)
        /// Number of an identity: one of the tenant's own, or, at another domain, an active one of a linked tenant, where the
        /// tenant knows the number already or a link's scopes have `phoneNumber`.
        case identity(HolderID, at: DomainID?)
    }

    package let subject: Subject
    package var references: Identity.References
    /// Added to those the identity has; one of the same name is replaced.
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
    /// The tenant can see no such identity.
    case unknownIdentity
    /// It would have more than `Identity.Limit.attributes`.
    case tooManyAttributes
}
