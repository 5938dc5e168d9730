import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite struct DomainsTableTests {
    private static let (a, b, c) = (ClientID("a")!, ClientID("b")!, ClientID("c")!)
    private let database: Database
    private let tenants: TenantsTable
    private let identities: IdentitiesTable
    private let domains: DomainsTable

    init() async throws {
        database = try Fixture.database()
        tenants = TenantsTable(database)
        identities = IdentitiesTable(database, sealing: Fixture.sealing)
        domains = DomainsTable(database, sealing: Fixture.sealing)
        for id in [Self.a, Self.b, Self.c] { try await tenants.add(Self.tenant(id)) }
    }

    private static func tenant(_ id: ClientID, displayName: String? = nil) -> Tenant {
        Tenant(id: id, rules: TenantRules(displayName: displayName), secretDigests: [], createdAt: Fixture.now)
    }

    private func domain(_ client: ClientID) async throws -> DomainID {
        try await domains.domainID(of: client, fresh: Fixture.id())
    }

    private func request(
        _ from: ClientID, _ to: ClientID, _ scopes: [String] = [], at now: Timestamp = Fixture.now
    ) async throws -> LinkRequestOutcome {
        try await domains.requestLink(
            from: from, to: try await domain(to), scopes: scopes, fresh: Fixture.id(), at: now)
    }

    private func link(_ from: ClientID, _ to: ClientID, _ scopes: [String] = []) async throws {
        #expect(try await request(from, to, scopes) == .requested)
        #expect(try await accept(try await domain(from), to))
    }

    private func accept(
        _ from: DomainID, _ to: ClientID, _ scopes: [String]? = nil, at now: Timestamp = Fixture.now
    ) async throws -> Bool {
        try await domains.acceptLink(from: from, to: to, scopes: scopes, at: now) == .accepted
    }

    private func enrol(_ client: ClientID, _ attributes: [IdentityAttribute] = []) async throws -> HolderID {
        let outcome = try await identities.enrol(
            [Enrolment(.number(Fixture.number), attributes: attributes)], of: client, fresh: [Fixture.id()],
            at: Fixture.now)
        guard case .enrolled(let id)? = outcome.first else { throw StorageFault.corrupt(what: "not enrolled") }
        return id
    }

    @Test func `a tenant keeps its domain id, also when it is saved again`() async throws {
        let id = try await domain(Self.a)
        #expect(try await domain(Self.b) != id)
        try await tenants.save(Self.tenant(Self.a, displayName: "Acme"))
        #expect(try await domain(Self.a) == id)
    }

    @Test func `a request is seen by both sides and by nobody else, and stands once the other agrees`() async throws {
        let later = Fixture.now.adding(.seconds(5))
        try await tenants.save(Self.tenant(Self.a, displayName: "Acme"))
        #expect(try await request(Self.a, Self.b, ["kyc", "age check"]) == .requested)
        let (own, other) = (
            Domain(id: try await domain(Self.a), name: "Acme"), Domain(id: try await domain(Self.b), name: "b")
        )
        func link(_ other: Domain, _ isFromOther: Bool, _ acceptedAt: Timestamp?) -> DomainLink {
            DomainLink(
                other: other, isFromOther: isFromOther, scopes: ["kyc", "age check"], requestedAt: Fixture.now,
                acceptedAt: acceptedAt)
        }
        #expect(try await domains.links(of: Self.a) == [link(other, false, nil)])
        #expect(try await domains.links(of: Self.b) == [link(own, true, nil)])
        #expect(try await domains.links(of: Self.c) == [])
        #expect(try await accept(own.id, Self.b, at: later))
        #expect(try await accept(own.id, Self.b, at: later.adding(.seconds(5))))
        #expect(try await domains.links(of: Self.a) == [link(other, false, later)])
        #expect(try await domains.links(of: Self.b) == [link(own, true, later)])
    }

    @Test func `nobody agrees to a request of their own, or to one that is not there`() async throws {
        _ = try await request(Self.a, Self.b)
        #expect(try await !accept(try await domain(Self.b), Self.a))
        #expect(try await !accept(try await domain(Self.a), Self.c))
        #expect(try await !accept(Fixture.id(), Self.b))
    }

    @Test func `other scopes are a request of their own, which the consent to the first does not cover`() async throws {
        #expect(try await request(Self.a, Self.b, ["x"]) == .requested)
        #expect(try await request(Self.a, Self.b, ["y"], at: Fixture.now.adding(.seconds(1))) == .requested)
        #expect(try await domains.links(of: Self.b).map(\.scopes) == [["x"], ["y"]])
        #expect(try await accept(try await domain(Self.a), Self.b))
        #expect(try await accept(try await domain(Self.a), Self.b))
        #expect(try await domains.links(of: Self.b).map { $0.acceptedAt == nil } == [false, true])
        #expect(try await request(Self.a, Self.b, ["x"]) == .requested)
        #expect(try await request(Self.a, Self.b, ["z"]) == .alreadyLinked)
        #expect(try await accept(try await domain(Self.a), Self.b, ["y"]))
        #expect(try await domains.links(of: Self.b).map(\.scopes) == [["y"]])
    }

    @Test func `what was taken back is remembered by the store until the other side decides`() async throws {
        let (a, b) = (try await domain(Self.a), try await domain(Self.b))
        #expect(try await request(Self.a, Self.b, ["x"]) == .requested)
        #expect(try await domains.removeLink(from: nil, to: b, by: Self.a))
        #expect(try await domains.links(of: Self.b) == [])
        #expect(try await request(Self.a, Self.b, ["y"]) == .requested)
        let outcome = try await domains.acceptLink(from: a, to: Self.b, scopes: nil, at: Fixture.now)
        #expect(outcome == .scopesNeeded)
        #expect(try await domains.links(of: Self.b).map(\.acceptedAt) == [nil])
        #expect(try await domains.removeLink(from: a, to: nil, by: Self.b))
        #expect(try await request(Self.a, Self.b, ["y"]) == .requested)
        #expect(try await accept(a, Self.b))
    }

    @Test func `a tenant links with others that may call, and not with itself`() async throws {
        #expect(try await request(Self.a, Self.a) == .ownDomain)
        let unknown = try await domains.requestLink(
            from: Self.a, to: Fixture.id(), scopes: [], fresh: Fixture.id(), at: Fixture.now)
        #expect(unknown == .unknownDomain)
        _ = try await domain(Self.c)
        #expect(try await tenants.revokeTenant(Self.c, at: Fixture.now))
        #expect(try await request(Self.a, Self.c) == .unknownDomain)
    }

    @Test func `a tenant asks for a hundred links and no more`() async throws {
        for index in 0..<DomainLink.Limit.perDomain {
            let id = try #require(ClientID("t\(index)"))
            try await tenants.add(Self.tenant(id))
            #expect(try await request(Self.a, id) == .requested)
        }
        #expect(try await request(Self.a, Self.b) == .tooMany)
        #expect(try await request(Self.a, try #require(ClientID("t0")), ["x"]) == .requested)
        #expect(try await request(Self.b, Self.a) == .requested)
        let first = try await domain(try #require(ClientID("t0")))
        #expect(try await domains.removeLink(from: nil, to: first, by: Self.a))
        #expect(try await request(Self.a, Self.b) == .requested)
    }

    @Test func `either side ends a link, and nobody else`() async throws {
        let (a, b) = (try await domain(Self.a), try await domain(Self.b))
        for ends in [0, 1, 2, 3] {
            try await link(Self.a, Self.b)
            #expect(try await !domains.removeLink(from: a, to: b, by: Self.c))
            #expect(try await !domains.removeLink(from: b, to: a, by: Self.a))
            let isRemoved =
                switch ends {
                case 0: try await domains.removeLink(from: nil, to: b, by: Self.a)
                case 1: try await domains.removeLink(from: a, to: nil, by: Self.b)
                case 2: try await domains.removeLink(from: a, to: b, by: Self.a)
                default: try await domains.removeLink(from: a, to: b, by: Self.b)
                }
            #expect(isRemoved)
            #expect(try await domains.links(of: Self.a) == [])
            #expect(try await !domains.removeLink(from: a, to: b, by: Self.a))
        }
    }

    @Test func `linked tenants see the active identities of the same number, either way`() async throws {
        let (mine, theirs) = (try await enrol(Self.a), try await enrol(Self.b))
        _ = try await enrol(Self.c)
        #expect(try await domains.linkedIdentities(mine, of: Self.a) == [])
        _ = try await request(Self.a, Self.b)
        #expect(try await domains.linkedIdentities(mine, of: Self.a) == [], "a request shows nothing")
        #expect(try await accept(try await domain(Self.a), Self.b))
        let (a, b) = (
            Domain(id: try await domain(Self.a), name: "a"), Domain(id: try await domain(Self.b), name: "b")
        )
        #expect(try await domains.linkedIdentities(mine, of: Self.a) == [LinkedIdentity(id: theirs, domain: b)])
        #expect(try await domains.linkedIdentities(theirs, of: Self.b) == [LinkedIdentity(id: mine, domain: a)])
        #expect(try await domains.linkedIdentities(theirs, of: Self.a) == nil)
        // Linked both ways, it is one link in effect.
        try await link(Self.b, Self.a)
        #expect(try await domains.linkedIdentities(mine, of: Self.a)?.count == 1)
        #expect(try await identities.setActive(false, theirs, of: Self.b))
        #expect(try await domains.linkedIdentities(mine, of: Self.a) == [])
        #expect(try await domains.linkedIdentities(theirs, of: Self.b)?.count == 1)
        #expect(try await identities.setActive(true, theirs, of: Self.b))
        #expect(try await tenants.revokeTenant(Self.b, at: Fixture.now))
        #expect(try await domains.linkedIdentities(mine, of: Self.a) == [])
        #expect(try await domains.links(of: Self.a) == [])
    }

    @Test func `attributes come with who brought them, of others as far as the scopes go`() async throws {
        let gold = IdentityAttribute(name: "tier", value: "gold")
        let iron = IdentityAttribute(name: "tier", value: "iron")
        let (mine, theirs) = (try await enrol(Self.a, [gold]), try await enrol(Self.b, [iron]))
        let (a, b) = (try await domain(Self.a), try await domain(Self.b))
        func attributes(_ id: HolderID, _ client: ClientID) async throws -> [IssuedAttribute]? {
            try await domains.attributes(of: id, of: client, fresh: Fixture.id())
        }
        #expect(try await attributes(mine, Self.a) == [IssuedAttribute(gold, issuer: a)])
        try await link(Self.a, Self.b, ["tie", "tier"])
        #expect(
            try await attributes(mine, Self.a) == [IssuedAttribute(gold, issuer: a), IssuedAttribute(iron, issuer: b)])
        // The tenant that was asked has not been shown anything.
        #expect(try await attributes(theirs, Self.b) == [IssuedAttribute(iron, issuer: b)])
        #expect(try await domains.removeLink(from: a, to: nil, by: Self.b))
        for scopes in [[], ["Tier", "tie", "tiers"]] {
            try await link(Self.a, Self.b, scopes)
            #expect(try await attributes(mine, Self.a) == [IssuedAttribute(gold, issuer: a)], "\(scopes)")
            #expect(try await domains.removeLink(from: a, to: nil, by: Self.b))
        }
        #expect(try await attributes(theirs, Self.a) == nil)
    }

    @Test func `an identity of a linked domain is enrolled by its name there`() async throws {
        let theirs = try await enrol(Self.b)
        let (a, b) = (try await domain(Self.a), try await domain(Self.b))
        func adopt(from domain: DomainID?) async throws -> EnrolmentOutcome? {
            try await identities.enrol(
                [Enrolment(.identity(theirs, at: domain))], of: Self.a, fresh: [Fixture.id()], at: Fixture.now
            ).first
        }
        #expect(try await adopt(from: b) == .unknownIdentity)
        try await link(Self.a, Self.b, ["tier"])
        #expect(try await adopt(from: b) == .unknownIdentity, "no scope shows the number")
        #expect(try await domains.removeLink(from: a, to: nil, by: Self.b))
        _ = try await request(Self.a, Self.b, ["phoneNumber"])
        #expect(try await adopt(from: b) == .unknownIdentity)
        #expect(try await accept(a, Self.b))
        #expect(try await adopt(from: a) == .unknownIdentity)
        #expect(try await adopt(from: nil) == .unknownIdentity)
        #expect(try await identities.setActive(false, theirs, of: Self.b))
        #expect(try await adopt(from: b) == .unknownIdentity)
        #expect(try await identities.setActive(true, theirs, of: Self.b))
        guard case .enrolled(let mine)? = try await adopt(from: b) else { return #expect(Bool(false)) }
        #expect(mine != theirs)
        #expect(try await identities.identity(mine, of: Self.a)?.number == Fixture.number)
        #expect(try await domains.removeLink(from: a, to: nil, by: Self.b))
        try await link(Self.a, Self.b)
        #expect(try await adopt(from: b) == .enrolled(mine), "it knows the number")
    }
}
