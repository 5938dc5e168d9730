import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Transactions that run at the same time and change the same rows, on every store: nothing is lost, nothing counts
/// twice, and none fails because another one came first.
@Suite struct RivalsContractTests {
    @Test(arguments: TestedStore.allCases)
    func `enrolments of the same numbers in opposite order make one identity each`(store: TestedStore) async throws {
        let all = try Numbers(store)
        let enrolments = (0..<4).map { Enrolment(.number(Numbers.number($0))) }
        let enrolled = try await race(12) { number in
            let outcomes = try await all.enrol(number.isMultiple(of: 2) ? enrolments : enrolments.reversed())
            return outcomes.allSatisfy { if case .enrolled = $0 { true } else { false } }
        }
        #expect(enrolled == 12)
        let ids = try await all.identities.identities(
            of: Sample.client, after: nil, limit: 100, includingInactive: true)
        #expect(ids.count == 4)
    }

    @Test(arguments: TestedStore.allCases)
    func `counts under two keys are exact, whichever is named first`(store: TestedStore) async throws {
        let limits = try store.make().limits
        let keys = (0..<3).map { LimitKey(.wrongCodes, Numbers.number($0), of: Sample.client) }
        let rules = Limits.OverSessions()
        _ = try await race(40) { number in
            let start = number % 3
            let ordered = Array(keys[start...] + keys[..<start])
            try await limits.count(ordered) { $0.count(ordered, by: rules, at: Sample.now) }
            return true
        }
        var alone = LimitTallies(keys.map { ($0, LimitTally()) })
        for _ in 0..<40 { alone.count(keys, by: rules, at: Sample.now) }
        let found = try await limits.tallies(keys)
        for key in keys { #expect(found[key] == alone[key]) }
    }

    @Test(arguments: TestedStore.allCases)
    func `a device key that is revoked while sessions use it stays revoked`(store: TestedStore) async throws {
        let stores = try store.make()
        let first = Sample.session()
        try await stores.sessions.insert(first)
        let key = Sample.key(1)
        _ = try await stores.sessions.update(first) { $0.deviceKey = key }
        var sessions: [Session] = []
        for _ in 0..<8 {
            let session = Sample.session()
            try await stores.sessions.insert(session)
            sessions.append(session)
        }
        var lookup = ChangeInputs()
        lookup.thumbprint = key.thumbprint
        try await withThrowingTaskGroup(of: Void.self) { [lookup, sessions] group in
            for (place, session) in sessions.enumerated() {
                group.addTask {
                    for turn in 1...4 {
                        _ = try await stores.sessions.update(session, lookup) { change in
                            change.deviceKey?.lastUsedAt = Sample.now.adding(.seconds(Int64(10 * place + turn)))
                        }
                    }
                }
            }
            group.addTask {
                _ = try await stores.deviceKeys.revokeDeviceKey(key.id, of: Sample.client, at: Sample.now)
            }
            try await group.waitForAll()
        }
        #expect(try await stores.sessions.update(first, lookup) { $0.deviceKey?.status } == .revoked)
    }

    @Test(arguments: TestedStore.allCases)
    func `events of a session have numbers without a gap, from whichever transaction they are`(
        store: TestedStore
    ) async throws {
        let stores = try store.make()
        let endpoint = try WebhookStoreContractTests.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let session = Sample.session()
        try await stores.sessions.insert(session)
        _ = try await race(24) { number in
            let event = WebhookStoreContractTests.event(of: session.correlationID, to: [endpoint])
            if number.isMultiple(of: 2) {
                try await stores.webhooks.addEvents([event])
            } else {
                _ = try await stores.sessions.update(session) { $0.webhooks = [event] }
            }
            return true
        }
        let due = try await stores.webhooks.dueWebhooks(at: endpoint, now: Sample.now, limit: 100, besides: [])
        #expect(due.deliveries.compactMap(\.event.sequence).sorted() == Array(1...24))
    }

    @Test(arguments: TestedStore.allCases)
    func `an event is not held back behind one that ends at the same time`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try WebhookStoreContractTests.endpoint(.session)
        _ = try await stores.webhooks.add(endpoint, most: 9)
        for round in 0..<40 {
            let session: CorrelationID = Sample.id()
            let events = (0..<2).map { place in
                WebhookStoreContractTests.event(
                    of: session, at: Sample.now.adding(.milliseconds(2 * round + place)), to: [endpoint])
            }
            try await stores.webhooks.addEvents(events)
            let now = Sample.now.adding(.seconds(1))
            // With this limit the second event is not looked at.
            let first = try await stores.webhooks.dueWebhooks(at: endpoint, now: now, limit: 1, besides: [])
            var delivery = try #require(first.deliveries.first)
            delivery.note(.taken(200), at: now, spread: 0)
            let ended = delivery
            async let stored = stores.webhooks.storeResult(of: ended, standing: nil)
            async let look = stores.webhooks.dueWebhooks(
                at: endpoint, now: now, limit: 100, besides: [ended.event.id])
            _ = try await (stored, look)
            let next = try await stores.webhooks.dueWebhooks(at: endpoint, now: now, limit: 100, besides: [])
            var second = try #require(next.deliveries.first, "round \(round)")
            #expect(second.event.id == events[1].event.id)
            second.note(.taken(200), at: now, spread: 0)
            _ = try await stores.webhooks.storeResult(of: second, standing: nil)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `sixteen changes of a tenant at the same time all stay`(store: TestedStore) async throws {
        let tenants = try store.make().tenants
        try await tenants.add(
            Tenant(id: Sample.client, rules: TenantRules(), secretDigests: [], createdAt: Sample.now))
        _ = try await race(16) { number in
            try await tenants.updateTenant(Sample.client) {
                $0.rules.allowedOrigins.append("https://shop-\(number).example")
            } != nil
        }
        #expect(Set(try await tenants.tenant(Sample.client)?.rules.allowedOrigins ?? []).count == 16)
    }

    @Test(arguments: TestedStore.allCases)
    func `two enrolments of a number at the same time keep the references of both`(store: TestedStore) async throws {
        let all = try Numbers(store)
        let numbers = (0..<24).map { Numbers.number($0) }
        let references: [Identity.References] = [.init(clientCustomerID: "c-1"), .init(clientHumanID: "h-1")]
        // The rows are there: otherwise each second enrolment runs again, after the first one.
        _ = try await all.enrol(numbers.map { Enrolment(.number($0)) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in numbers {
                for references in references {
                    group.addTask { _ = try await all.enrol([Enrolment(.number(number), references: references)]) }
                }
            }
            try await group.waitForAll()
        }
        for number in numbers {
            let found = try await all.identities.identity(number, of: Sample.client)?.references
            #expect(found == .init(clientCustomerID: "c-1", clientHumanID: "h-1"))
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `failures of an endpoint at the same time all count`(store: TestedStore) async throws {
        let webhooks = try store.make().webhooks
        let endpoint = try WebhookStoreContractTests.endpoint()
        _ = try await webhooks.add(endpoint, most: 9)
        try await webhooks.addEvents((0..<12).map { _ in WebhookStoreContractTests.event(to: [endpoint]) })
        let due = try await webhooks.dueWebhooks(at: endpoint, now: Sample.now, limit: 100, besides: [])
        let attempt = WebhookAttempt(status: 500, failure: .status)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for var delivery in due.deliveries {
                delivery.note(attempt, at: Sample.now, spread: 0)
                group.addTask { [delivery] in
                    _ = try await webhooks.storeResult(of: delivery) {
                        _ = $0.note(attempt, at: Sample.now)
                        return []
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(due.deliveries.count == 12)
        #expect(try await webhooks.webhookEndpoint(endpoint.id)?.failures == 12)
    }

    @Test(arguments: DurableStore.allCases)
    func `entries of the audit log are one chain, however many are added at once`(store: DurableStore) async throws {
        let audit = try await store.make().audit
        _ = try await race(24) {
            try await audit.add(AuditEntry(.clientAdded, by: .operator, at: Sample.now))
            return true
        }
        let lines = try await audit.lines(after: 0, limit: 100)
        #expect(lines.map(\.number) == Array(1...24))
        for (line, next) in zip(lines, lines.dropFirst()) {
            #expect(String(decoding: next.text, as: UTF8.self).hasSuffix("\(line.hash.prefix(2))"))
        }
    }
}
