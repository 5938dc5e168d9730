import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Transactions of two servers that run at the same time and change the same rows, on every store: nothing is lost,
/// nothing counts twice, and none fails because another one came first.
@Suite struct RivalsContractTests {
    @Test(arguments: TestedStore.allCases)
    func `enrolments of the same numbers in opposite order make one identity each`(store: TestedStore) async throws {
        let pair = try store.pair().map { Numbers($0) }
        let enrolments = (0..<4).map { Enrolment(.number(Numbers.number($0))) }
        let enrolled = try await pair.race(12) { all, number in
            // Each server has both orders.
            let outcomes = try await all.enrol(number % 4 < 2 ? enrolments : enrolments.reversed())
            return outcomes.allSatisfy { if case .enrolled = $0 { true } else { false } }
        }
        #expect(enrolled == 12)
        let ids = try await pair.first.identities.identities(
            of: Sample.client, after: nil, limit: 100, includingInactive: true)
        #expect(ids.count == 4)
    }

    @Test(arguments: TestedStore.allCases)
    func `counts under two keys are exact, whichever is named first, and no transaction waits for another one`(
        store: TestedStore
    ) async throws {
        let pair = try store.pair()
        let limits = pair.map(\.limits)
        let keys = (0..<3).map { LimitKey(.wrongCodes, Numbers.number($0), of: Sample.client) }
        let rules = Limits.OverSessions()
        try await limits.callAtOnce(40) { limits, number in
            let start = number % 3
            let ordered = Array(keys[start...] + keys[..<start])
            try await limits.count(ordered) { $0.count(ordered, by: rules, at: Sample.now) }
        }
        var alone = LimitTallies(keys.map { ($0, LimitTally()) })
        for _ in 0..<40 { alone.count(keys, by: rules, at: Sample.now) }
        let found = try await limits.first.tallies(keys)
        for key in keys { #expect(found[key] == alone[key]) }
        // All transactions lock the tallies in the same order.
        #expect(pair.first.deadlocks() + pair.second.deadlocks() == 0)
    }

    @Test(arguments: TestedStore.allCases)
    func `counts of sends and checks in two countries and one network are exact, without deadlocks`(
        store: TestedStore
    ) async throws {
        let pair = try store.pair()
        let budget = LimitKey(.spendOfTenant, of: Sample.client)
        let network = LimitKey(.network, of: Sample.client, [192, 0, 2])
        let countries = ["US", "FR"].map { LimitKey(.country, of: Sample.client, Array($0.utf8)) }
        let numbers = (0..<4).map { LimitKey(.sendsToNumber, Numbers.number($0), of: Sample.client) }
        // Each country has its own numbers. A check counts at no budget.
        let keys = (0..<64).map { call -> [LimitKey] in
            let keys = [countries[call % 2], network, numbers[call % 4]]
            return call % 3 == 0 ? keys : [budget] + keys
        }
        let count: @Sendable (inout LimitTallies, [LimitKey]) -> Void = { tallies, keys in
            for key in keys {
                tallies.change(key) { $0.count(at: Sample.now, most: 100, reach: key.counter.reach) }
            }
        }
        try await pair.map(\.limits).callAtOnce(keys.count) { limits, call in
            try await limits.count(keys[call]) { count(&$0, keys[call]) }
        }
        let all = [budget, network] + countries + numbers
        var alone = LimitTallies(all.map { ($0, LimitTally()) })
        for keys in keys { count(&alone, keys) }
        let found = try await pair.first.limits.tallies(all)
        for key in all { #expect(found[key] == alone[key]) }
        #expect(pair.first.deadlocks() + pair.second.deadlocks() == 0)
    }

    @Test(arguments: TestedStore.allCases)
    func `a device key that is revoked while sessions use it stays revoked`(store: TestedStore) async throws {
        let pair = try store.pair()
        let stores = pair.first
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
        try await pair.callAtOnce(sessions.count + 1) { [lookup, sessions] stores, place in
            guard place < sessions.count else {
                _ = try await stores.deviceKeys.revokeDeviceKey(key.id, of: Sample.client, at: Sample.now)
                return
            }
            for turn in 1...4 {
                _ = try await stores.sessions.update(sessions[place], lookup) { change in
                    change.deviceKey?.lastUsedAt = Sample.now.adding(.seconds(Int64(10 * place + turn)))
                }
            }
        }
        #expect(try await stores.sessions.update(first, lookup) { $0.deviceKey?.status } == .revoked)
    }

    @Test(arguments: TestedStore.allCases)
    func `events of a session have numbers without a gap, from whichever transaction they are`(
        store: TestedStore
    ) async throws {
        let pair = try store.pair()
        let stores = pair.first
        let endpoint = try WebhookStoreContractTests.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let session = Sample.session()
        try await stores.sessions.insert(session)
        try await pair.callAtOnce(24) { stores, number in
            let event = WebhookStoreContractTests.event(of: session.correlationID, to: [endpoint])
            if number % 4 < 2 {
                try await stores.webhooks.addEvents([event])
            } else {
                _ = try await stores.sessions.update(session) { $0.webhooks = [event] }
            }
        }
        let due = try await stores.webhooks.dueWebhooks(at: endpoint, now: Sample.now, limit: 100, besides: [])
        #expect(due.deliveries.compactMap(\.event.sequence).sorted() == Array(1...24))
    }

    @Test(arguments: TestedStore.allCases)
    func `an event is not held back behind one that ends at the same time`(store: TestedStore) async throws {
        let pair = try store.pair()
        let stores = pair.first
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
            // Only the server that added the endpoint knows that it wants order.
            async let stored = stores.webhooks.storeResult(of: ended, standing: nil)
            async let look = pair.second.webhooks.dueWebhooks(
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
        let tenants = try store.pair().map(\.tenants)
        try await tenants.first.add(
            Tenant(id: Sample.client, rules: TenantRules(), secretDigests: [], createdAt: Sample.now))
        _ = try await tenants.race(16) { tenants, number in
            try await tenants.updateTenant(Sample.client) {
                $0.rules.allowedOrigins.append("https://shop-\(number).example")
            } != nil
        }
        #expect(Set(try await tenants.first.tenant(Sample.client)?.rules.allowedOrigins ?? []).count == 16)
    }

    @Test(arguments: TestedStore.allCases)
    func `two enrolments of a number at the same time keep the references of both`(store: TestedStore) async throws {
        let pair = try store.pair().map { Numbers($0) }
        let numbers = (0..<24).map { Numbers.number($0) }
        let references: [Identity.References] = [.init(clientCustomerID: "c-1"), .init(clientHumanID: "h-1")]
        // The rows are there: otherwise each second enrolment runs again, after the first one.
        _ = try await pair.first.enrol(numbers.map { Enrolment(.number($0)) })
        try await pair.callAtOnce(2 * numbers.count) { all, place in
            let enrolment = Enrolment(.number(numbers[place / 2]), references: references[place % 2])
            _ = try await all.enrol([enrolment])
        }
        for number in numbers {
            let found = try await pair.first.identities.identity(number, of: Sample.client)?.references
            #expect(found == .init(clientCustomerID: "c-1", clientHumanID: "h-1"))
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `failures of an endpoint at the same time all count`(store: TestedStore) async throws {
        let pair = try store.pair().map(\.webhooks)
        let webhooks = pair.first
        let endpoint = try WebhookStoreContractTests.endpoint()
        _ = try await webhooks.add(endpoint, most: 9)
        try await webhooks.addEvents((0..<12).map { _ in WebhookStoreContractTests.event(to: [endpoint]) })
        let due = try await webhooks.dueWebhooks(at: endpoint, now: Sample.now, limit: 100, besides: []).deliveries
        #expect(due.count == 12)
        let attempt = WebhookAttempt(status: 500, failure: .status)
        try await pair.callAtOnce(due.count) { webhooks, place in
            var delivery = due[place]
            delivery.note(attempt, at: Sample.now, spread: 0)
            _ = try await webhooks.storeResult(of: delivery) {
                _ = $0.note(attempt, at: Sample.now)
                return []
            }
        }
        #expect(try await webhooks.webhookEndpoint(endpoint.id)?.failures == 12)
    }

    @Test(arguments: DurableStore.allCases)
    func `entries of the audit log are one chain, however many are added at once`(store: DurableStore) async throws {
        let audit = try await store.pair().map(\.audit)
        try await audit.callAtOnce(24) { audit, _ in
            try await audit.add(AuditEntry(.clientAdded, by: .operator, at: Sample.now))
        }
        let lines = try await audit.first.lines(after: 0, limit: 100)
        #expect(lines.map(\.number) == Array(1...24))
        for (line, next) in zip(lines, lines.dropFirst()) {
            #expect(String(decoding: next.text, as: UTF8.self).hasSuffix("\(line.hash.prefix(2))"))
        }
    }
}
