import Engine
import Possession
import TestSupport
import Testing

/// Tenants of a store, and calls by which they link their domains.
private struct Neighbours {
    let tenants: any TenantStore
    let identities: any IdentityStore
    let domains: any DomainStore

    init(_ store: TestedStore, _ clients: [ClientID]) async throws {
        let stores = try store.make()
        (tenants, identities, domains) = (stores.tenants, stores.identities, stores.domains)
        for id in clients { try await tenants.add(Self.tenant(id)) }
    }

    static func tenant(_ id: ClientID, displayName: String? = nil) -> Tenant {
        Tenant(id: id, rules: TenantRules(displayName: displayName), secretDigests: [], createdAt: Sample.now)
    }

    func domain(_ client: ClientID) async throws -> DomainID {
        try await domains.domainID(of: client, fresh: Sample.id())
    }

    func request(
        _ from: ClientID, _ to: ClientID, _ scopes: [String] = [], at now: Timestamp = Sample.now
    ) async throws -> LinkRequestOutcome {
        try await domains.requestLink(
            from: from, to: try await domain(to), scopes: scopes, fresh: Sample.id(), at: now)
    }

    func link(_ from: ClientID, _ to: ClientID, _ scopes: [String] = []) async throws {
        #expect(try await request(from, to, scopes) == .requested)
        #expect(try await accept(try await domain(from), to))
    }

    func accept(
        _ from: DomainID, _ to: ClientID, _ scopes: [String]? = nil, at now: Timestamp = Sample.now
    ) async throws -> Bool {
        try await domains.acceptLink(from: from, to: to, scopes: scopes, at: now) == .accepted
    }

    func enrol(_ client: ClientID, _ attributes: [IdentityAttribute] = []) async throws -> HolderID {
        let outcome = try await identities.enrol(
            [Enrolment(.number(Sample.number), attributes: attributes)], of: client, fresh: [Sample.id()],
            at: Sample.now)
        guard case .enrolled(let id)? = outcome.first else { throw StorageFault.corrupt(what: "not enrolled") }
        return id
    }
}

/// The contract of every store of domains and the links between them.
@Suite struct DomainStoreContractTests {
    private static let (a, b, c) = (ClientID("a")!, ClientID("b")!, ClientID("c")!)

    @Test(arguments: TestedStore.allCases)
    func `a tenant keeps its domain id, also when it is saved again`(store: TestedStore) async throws {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        let id = try await all.domain(Self.a)
        #expect(try await all.domain(Self.b) != id)
        try await all.tenants.save(Neighbours.tenant(Self.a, displayName: "Acme"))
        #expect(try await all.domain(Self.a) == id)
    }

    @Test(arguments: TestedStore.allCases)
    func `a request is seen by both sides and by nobody else, and stands once the other agrees`(store: TestedStore)
        async throws
    {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        let later = Sample.now.adding(.seconds(5))
        try await all.tenants.save(Neighbours.tenant(Self.a, displayName: "Acme"))
        #expect(try await all.request(Self.a, Self.b, ["kyc", "age check"]) == .requested)
        let (own, other) = (
            Domain(id: try await all.domain(Self.a), name: "Acme"), Domain(id: try await all.domain(Self.b), name: "b")
        )
        func link(_ other: Domain, _ isFromOther: Bool, _ acceptedAt: Timestamp?) -> DomainLink {
            DomainLink(
                other: other, isFromOther: isFromOther, scopes: ["kyc", "age check"], requestedAt: Sample.now,
                acceptedAt: acceptedAt)
        }
        #expect(try await all.domains.links(of: Self.a) == [link(other, false, nil)])
        #expect(try await all.domains.links(of: Self.b) == [link(own, true, nil)])
        #expect(try await all.domains.links(of: Self.c) == [])
        #expect(try await all.accept(own.id, Self.b, at: later))
        #expect(try await all.accept(own.id, Self.b, at: later.adding(.seconds(5))))
        #expect(try await all.domains.links(of: Self.a) == [link(other, false, later)])
        #expect(try await all.domains.links(of: Self.b) == [link(own, true, later)])
    }

    @Test(arguments: TestedStore.allCases)
    func `nobody agrees to a request of their own, or to one that is not there`(store: TestedStore) async throws {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        _ = try await all.request(Self.a, Self.b)
        #expect(try await !all.accept(try await all.domain(Self.b), Self.a))
        #expect(try await !all.accept(try await all.domain(Self.a), Self.c))
        #expect(try await !all.accept(Sample.id(), Self.b))
    }

    @Test(arguments: TestedStore.allCases)
    func `other scopes are a request of their own, which the consent to the first does not cover`(store: TestedStore)
        async throws
    {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        #expect(try await all.request(Self.a, Self.b, ["x"]) == .requested)
        #expect(try await all.request(Self.a, Self.b, ["y"], at: Sample.now.adding(.seconds(1))) == .requested)
        #expect(try await all.domains.links(of: Self.b).map(\.scopes) == [["x"], ["y"]])
        #expect(try await all.accept(try await all.domain(Self.a), Self.b))
        #expect(try await all.accept(try await all.domain(Self.a), Self.b))
        #expect(try await all.domains.links(of: Self.b).map { $0.acceptedAt == nil } == [false, true])
        #expect(try await all.request(Self.a, Self.b, ["x"]) == .requested)
        #expect(try await all.request(Self.a, Self.b, ["z"]) == .alreadyLinked)
        #expect(try await all.accept(try await all.domain(Self.a), Self.b, ["y"]))
        #expect(try await all.domains.links(of: Self.b).map(\.scopes) == [["y"]])
    }

    @Test(arguments: TestedStore.allCases)
    func `what was taken back is remembered by the store until the other side decides`(store: TestedStore) async throws
    {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        let (a, b) = (try await all.domain(Self.a), try await all.domain(Self.b))
        #expect(try await all.request(Self.a, Self.b, ["x"]) == .requested)
        #expect(try await all.domains.removeLink(from: nil, to: b, by: Self.a))
        #expect(try await all.domains.links(of: Self.b) == [])
        #expect(try await all.request(Self.a, Self.b, ["y"]) == .requested)
        let outcome = try await all.domains.acceptLink(from: a, to: Self.b, scopes: nil, at: Sample.now)
        #expect(outcome == .scopesNeeded)
        #expect(try await all.domains.links(of: Self.b).map(\.acceptedAt) == [nil])
        #expect(try await all.domains.removeLink(from: a, to: nil, by: Self.b))
        #expect(try await all.request(Self.a, Self.b, ["y"]) == .requested)
        #expect(try await all.accept(a, Self.b))
    }

    @Test(arguments: TestedStore.allCases)
    func `a tenant links with others that may call, and not with itself`(store: TestedStore) async throws {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        #expect(try await all.request(Self.a, Self.a) == .ownDomain)
        let unknown = try await all.domains.requestLink(
            from: Self.a, to: Sample.id(), scopes: [], fresh: Sample.id(), at: Sample.now)
        #expect(unknown == .unknownDomain)
        _ = try await all.domain(Self.c)
        #expect(try await all.tenants.revokeTenant(Self.c, at: Sample.now))
        #expect(try await all.request(Self.a, Self.c) == .unknownDomain)
    }

    @Test(arguments: TestedStore.allCases)
    func `a tenant asks for a hundred links and no more`(store: TestedStore) async throws {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        for index in 0..<DomainLink.Limit.perDomain {
            let id = try #require(ClientID("t\(index)"))
            try await all.tenants.add(Neighbours.tenant(id))
            #expect(try await all.request(Self.a, id) == .requested)
        }
        #expect(try await all.request(Self.a, Self.b) == .tooMany)
        #expect(try await all.request(Self.a, try #require(ClientID("t0")), ["x"]) == .requested)
        #expect(try await all.request(Self.b, Self.a) == .requested)
        let first = try await all.domain(try #require(ClientID("t0")))
        #expect(try await all.domains.removeLink(from: nil, to: first, by: Self.a))
        #expect(try await all.request(Self.a, Self.b) == .requested)
    }

    @Test(arguments: TestedStore.allCases)
    func `either side ends a link, and nobody else`(store: TestedStore) async throws {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        let (a, b) = (try await all.domain(Self.a), try await all.domain(Self.b))
        for ends in [0, 1, 2, 3] {
            try await all.link(Self.a, Self.b)
            #expect(try await !all.domains.removeLink(from: a, to: b, by: Self.c))
            #expect(try await !all.domains.removeLink(from: b, to: a, by: Self.a))
            let isRemoved =
                switch ends {
                case 0: try await all.domains.removeLink(from: nil, to: b, by: Self.a)
                case 1: try await all.domains.removeLink(from: a, to: nil, by: Self.b)
                case 2: try await all.domains.removeLink(from: a, to: b, by: Self.a)
                default: try await all.domains.removeLink(from: a, to: b, by: Self.b)
                }
            #expect(isRemoved)
            #expect(try await all.domains.links(of: Self.a) == [])
            #expect(try await !all.domains.removeLink(from: a, to: b, by: Self.a))
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `linked tenants see the active identities of the same number, either way`(store: TestedStore) async throws {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        let (mine, theirs) = (try await all.enrol(Self.a), try await all.enrol(Self.b))
        _ = try await all.enrol(Self.c)
        #expect(try await all.domains.linkedIdentities(mine, of: Self.a) == [])
        _ = try await all.request(Self.a, Self.b)
        #expect(try await all.domains.linkedIdentities(mine, of: Self.a) == [], "a request shows nothing")
        #expect(try await all.accept(try await all.domain(Self.a), Self.b))
        let (a, b) = (
            Domain(id: try await all.domain(Self.a), name: "a"), Domain(id: try await all.domain(Self.b), name: "b")
        )
        #expect(try await all.domains.linkedIdentities(mine, of: Self.a) == [LinkedIdentity(id: theirs, domain: b)])
        #expect(try await all.domains.linkedIdentities(theirs, of: Self.b) == [LinkedIdentity(id: mine, domain: a)])
        #expect(try await all.domains.linkedIdentities(theirs, of: Self.a) == nil)
        // Linked both ways, it is one link in effect.
        try await all.link(Self.b, Self.a)
        #expect(try await all.domains.linkedIdentities(mine, of: Self.a)?.count == 1)
        #expect(try await all.identities.setActive(false, theirs, of: Self.b))
        #expect(try await all.domains.linkedIdentities(mine, of: Self.a) == [])
        #expect(try await all.domains.linkedIdentities(theirs, of: Self.b)?.count == 1)
        #expect(try await all.identities.setActive(true, theirs, of: Self.b))
        #expect(try await all.tenants.revokeTenant(Self.b, at: Sample.now))
        #expect(try await all.domains.linkedIdentities(mine, of: Self.a) == [])
        #expect(try await all.domains.links(of: Self.a) == [])
    }

    @Test(arguments: TestedStore.allCases)
    func `attributes come with who brought them, of others as far as the scopes go`(store: TestedStore) async throws {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        let gold = IdentityAttribute(name: "tier", value: "gold")
        let iron = IdentityAttribute(name: "tier", value: "iron")
        let (mine, theirs) = (try await all.enrol(Self.a, [gold]), try await all.enrol(Self.b, [iron]))
        let (a, b) = (try await all.domain(Self.a), try await all.domain(Self.b))
        func attributes(_ id: HolderID, _ client: ClientID) async throws -> [IssuedAttribute]? {
            try await all.domains.attributes(of: id, of: client, fresh: Sample.id())
        }
        #expect(try await attributes(mine, Self.a) == [IssuedAttribute(gold, issuer: a)])
        try await all.link(Self.a, Self.b, ["tie", "tier"])
        #expect(
            try await attributes(mine, Self.a) == [IssuedAttribute(gold, issuer: a), IssuedAttribute(iron, issuer: b)])
        // The tenant that was asked has not been shown anything.
        #expect(try await attributes(theirs, Self.b) == [IssuedAttribute(iron, issuer: b)])
        #expect(try await all.domains.removeLink(from: a, to: nil, by: Self.b))
        for scopes in [[], ["Tier", "tie", "tiers"]] {
            try await all.link(Self.a, Self.b, scopes)
            #expect(try await attributes(mine, Self.a) == [IssuedAttribute(gold, issuer: a)], "\(scopes)")
            #expect(try await all.domains.removeLink(from: a, to: nil, by: Self.b))
        }
        #expect(try await attributes(theirs, Self.a) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `an identity of a linked domain is enrolled by its name there`(store: TestedStore) async throws {
        let all = try await Neighbours(store, [Self.a, Self.b, Self.c])
        let theirs = try await all.enrol(Self.b)
        let (a, b) = (try await all.domain(Self.a), try await all.domain(Self.b))
        func adopt(from domain: DomainID?) async throws -> EnrolmentOutcome? {
            try await all.identities.enrol(
                [Enrolment(.identity(theirs, at: domain))], of: Self.a, fresh: [Sample.id()], at: Sample.now
            ).first
        }
        #expect(try await adopt(from: b) == .unknownIdentity)
        try await all.link(Self.a, Self.b, ["tier"])
        #expect(try await adopt(from: b) == .unknownIdentity, "no scope shows the number")
        #expect(try await all.domains.removeLink(from: a, to: nil, by: Self.b))
        _ = try await all.request(Self.a, Self.b, ["phoneNumber"])
        #expect(try await adopt(from: b) == .unknownIdentity)
        #expect(try await all.accept(a, Self.b))
        #expect(try await adopt(from: a) == .unknownIdentity)
        #expect(try await adopt(from: nil) == .unknownIdentity)
        #expect(try await all.identities.setActive(false, theirs, of: Self.b))
        #expect(try await adopt(from: b) == .unknownIdentity)
        #expect(try await all.identities.setActive(true, theirs, of: Self.b))
        guard case .enrolled(let mine)? = try await adopt(from: b) else { return #expect(Bool(false)) }
        #expect(mine != theirs)
        #expect(try await all.identities.identity(mine, of: Self.a)?.number == Sample.number)
        #expect(try await all.domains.removeLink(from: a, to: nil, by: Self.b))
        try await all.link(Self.a, Self.b)
        #expect(try await adopt(from: b) == .enrolled(mine), "it knows the number")
    }
}
