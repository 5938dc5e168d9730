@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport
import Possession
import TestSupport
import Testing
import Text

@Suite struct TenantRatesTests {
    private let tenant = ClientID("a")!

    private func stranger(_ address: String? = nil, isUnderWay: Bool = true) -> RateCaller {
        .stranger(network: address.flatMap { IPAddress($0) }?.network, isUnderWay: isUnderWay)
    }

    @Test(arguments: [0, 3, 7, 10]) func `passes 250 to 275 in ten seconds at 25 a second`(jitter: Int64) {
        let rates = TenantRates(perSecond: 25)
        var passed = 0
        for call in 0..<Int64(1000) {
            let now = FixedClock.start.adding(.milliseconds(call * 10 + call % 3 * jitter))
            if rates.admit(tenant, at: now) == nil { passed += 1 }
        }
        #expect((250...275).contains(passed))
    }

    @Test(arguments: [1, 2, 25, 999, 10_000]) func `lets the next call pass after the time it told`(rate: Int) {
        let rates = TenantRates(perSecond: rate)
        var now = FixedClock.start
        for _ in 0..<rate { #expect(rates.admit(tenant, at: now) == nil) }
        for _ in 0..<20 {
            let wait = rates.admit(tenant, at: now)
            #expect(wait == 1)
            now = now.adding(.seconds(wait ?? 0))
            #expect(rates.admit(tenant, at: now) == nil)
            for _ in 1..<rate { _ = rates.admit(tenant, at: now) }
        }
    }

    @Test func `strangers leave half of the bucket to the client, and then its whole rate`() {
        let rates = TenantRates(perSecond: 25)
        var (strangers, own) = (0, 0)
        for milliseconds in Int64(0)..<10_000 {
            let now = FixedClock.start.adding(.milliseconds(milliseconds))
            for _ in 0..<4 where rates.admit(tenant, by: stranger(), at: now) == nil { strangers += 1 }
            if milliseconds % 40 == 0, rates.admit(tenant, at: now) == nil { own += 1 }
        }
        #expect(own == 250 && (1...13).contains(strangers))
    }

    @Test(arguments: [1, 2, 25]) func `a stranger's next call passes after the time it told`(rate: Int) {
        let rates = TenantRates(perSecond: rate)
        for _ in 0..<rate { #expect(rates.admit(tenant, at: FixedClock.start) == nil) }
        #expect(rates.admit(tenant, by: stranger(), at: FixedClock.start) == 1)
        #expect(rates.admit(tenant, by: stranger(), at: FixedClock.start.adding(.seconds(1))) == nil)
    }

    /// How many of a hundred quiet networks, one call each in 20 seconds, get through beside busy ones that each try so often.
    private func quietOnes(beside busy: Int, tries: Int64, isUnderWay: Bool) -> (quiet: Int, busy: Int) {
        let rates = TenantRates(perSecond: 25)
        var passed = (quiet: 0, busy: 0)
        for millisecond in Int64(0)..<20_000 {
            let now = FixedClock.start.adding(.milliseconds(millisecond))
            for network in 0..<busy where (millisecond * tries + Int64(network) * 37) % 1000 < tries {
                let caller = stranger("198.51.\(network).\(millisecond % 250)", isUnderWay: isUnderWay)
                if rates.admit(tenant, by: caller, at: now) == nil { passed.busy += 1 }
            }
            guard millisecond % 200 == 50 else { continue }
            let caller = stranger("203.0.\(millisecond / 200).9", isUnderWay: isUnderWay)
            if rates.admit(tenant, by: caller, at: now) == nil { passed.quiet += 1 }
        }
        return passed
    }

    @Test(arguments: [(1, Int64(45)), (1, 500), (2, 500), (4, 100), (8, 100)], [false, true])
    func `busy networks keep no other one out`(attack: (networks: Int, tries: Int64), isUnderWay: Bool) {
        let passed = quietOnes(beside: attack.networks, tries: attack.tries, isUnderWay: isUnderWay)
        #expect(passed.quiet == 100)
        #expect(passed.busy > 150, "the room that is left is theirs")
    }

    @Test func `begins nothing at the cost of sessions under way`() {
        let rates = TenantRates(perSecond: 25)
        var (begun, underWay) = (0, 0)
        for millisecond in Int64(0)..<10_000 {
            let now = FixedClock.start.adding(.milliseconds(millisecond))
            let caller = stranger("198.51.\(millisecond % 200).1", isUnderWay: false)
            if rates.admit(tenant, by: caller, at: now) == nil { begun += 1 }
            if millisecond % 500 == 499, rates.admit(tenant, by: stranger("203.0.113.1"), at: now) == nil {
                underWay += 1
            }
        }
        #expect(underWay == 20 && begun > 200)
    }

    @Test func `a table of networks stays as small as what passes`() {
        var shares = StrangerShares()
        for millisecond in Int64(0)..<100_000 {
            let now = FixedClock.start.adding(.milliseconds(millisecond * 40))
            let address = "10.\(millisecond / 250 % 250).\(millisecond % 250).1"
            shares.note(stranger(address), calls: 25, 1000, at: now)
        }
        #expect(shares.count <= 64 + 2 * 25 + 1)
    }

    @Test func `passes ten in a minute, and then one in six seconds`() {
        let rates = TenantRates(.auditedCalls, calls: 10, in: .seconds(60))
        for _ in 0..<10 { #expect(rates.admit(tenant, at: FixedClock.start) == nil) }
        #expect(rates.admit(tenant, at: FixedClock.start) == 6)
        #expect(rates.admit(tenant, at: FixedClock.start.adding(.milliseconds(5_999))) == 1)
        #expect(rates.admit(tenant, at: FixedClock.start.adding(.seconds(6))) == nil)
        #expect(rates.admit(tenant, at: FixedClock.start.adding(.seconds(6))) == 6)
        #expect(rates.admit(ClientID("b")!, at: FixedClock.start) == nil, "another tenant has its own")
    }

    @Test func `gets back what did nothing, and no more than it holds`() {
        let rates = TenantRates(.auditedCalls, calls: 2, in: .seconds(60))
        rates.giveBack(tenant)
        for _ in 0..<5 {
            #expect(rates.admit(tenant, at: FixedClock.start) == nil)
            rates.giveBack(tenant)
        }
        rates.giveBack(tenant)
        #expect((0..<3).filter { _ in rates.admit(tenant, at: FixedClock.start) == nil }.count == 2)
    }

    @Test(arguments: [(1, 25), (2, 13), (3, 9), (25, 1), (100, 1)])
    func `of some servers each passes its share, and at least one call`(servers: Int, share: Int) async throws {
        var options = World.Options()
        options.servers = servers
        let engine = try await World(options).engine
        let rates = TenantRates(perSecond: 25)
        let passed = (0..<30).count { _ in
            (try? rates.takeOne(of: tenant, engine, at: FixedClock.start)) != nil
        }
        #expect(passed == share)
        #expect(!TenantRates(perSecond: 0).mayRefuse(engine))
        try TenantRates(perSecond: 0).takeOne(of: tenant, engine, at: FixedClock.start)
    }

    @Test func `a clock that goes back neither gives nor blocks for ever`() {
        let rates = TenantRates(perSecond: 1)
        let later = FixedClock.start.adding(.seconds(3600))
        #expect(rates.admit(tenant, at: later) == nil)
        #expect(rates.admit(tenant, at: FixedClock.start) == 1)
        #expect(rates.admit(tenant, at: FixedClock.start.adding(.seconds(1))) == nil)
    }
}

@Suite struct FailedTokenCallsTests {
    private func at(_ milliseconds: Int64) -> Timestamp { FixedClock.start.adding(.milliseconds(milliseconds)) }
    private func address(_ text: String) -> IPAddress? { IPAddress(text) }

    @Test func `stops an address after five failures in a second`() {
        let failures = FailedTokenCalls()
        for index in 0..<5 {
            #expect(failures.wait(address: address("192.0.2.1"), client: "c\(index)", at: at(0)) == nil)
            failures.record(address: address("192.0.2.1"), client: "c\(index)", at: at(0))
        }
        #expect(failures.wait(address: address("192.0.2.1"), client: "other", at: at(999)) == 1)
        #expect(failures.wait(address: address("192.0.2.2"), client: "other", at: at(999)) == nil)
        #expect(failures.wait(address: address("192.0.2.1"), client: "other", at: at(1000)) == nil)
    }

    @Test func `stops a client id from one address after twenty failures in ten minutes`() {
        let failures = FailedTokenCalls()
        for index in 0..<Int64(20) {
            #expect(failures.wait(address: address("192.0.2.1"), client: "c", at: at(index * 1000)) == nil)
            failures.record(address: address("192.0.2.1"), client: "c", at: at(index * 1000))
        }
        #expect(failures.wait(address: address("192.0.2.1"), client: "c", at: at(599_999)) == 1)
        #expect(failures.wait(address: address("192.0.2.1"), client: "c", at: at(30_000)) == 570)
        #expect(failures.wait(address: address("192.0.2.1"), client: "d", at: at(30_000)) == nil)
        #expect(failures.wait(address: address("192.0.2.9"), client: "c", at: at(30_000)) == nil)
        #expect(failures.wait(address: address("192.0.2.1"), client: "c", at: at(600_000)) == nil)
    }

    @Test func `one of three servers stops a client id after its share of the failures`() {
        let failures = FailedTokenCalls()
        func wait(_ milliseconds: Int64) -> Int? {
            failures.wait(address: nil, client: "c", at: at(milliseconds)) { ($0 + 2) / 3 }
        }
        for index in 0..<Int64(7) {
            #expect(wait(index * 1000) == nil)
            failures.record(address: nil, client: "c", at: at(index * 1000))
        }
        #expect(wait(10_000) == 590)
        // More were recorded while this server was alone. The wait ends when less than its share still counts.
        failures.record(address: nil, client: "c", at: at(20_000))
        #expect(wait(30_000) == 571)
        #expect(wait(600_999) == 1)
        #expect(wait(601_000) == nil)
    }

    @Test func `keeps its memory bounded and a limited key limited`() {
        let failures = FailedTokenCalls(maxKeys: 100)
        for _ in 0..<5 { failures.record(address: address("192.0.2.1"), client: "c", at: at(0)) }
        for index in 0..<1000 {
            failures.record(address: address("10.0.\(index / 256).\(index % 256)"), client: "c", at: at(1))
        }
        #expect(failures.wait(address: address("192.0.2.1"), client: "c", at: at(500)) == 1)
    }

    @Test func `counts an address once, however it is written`() {
        let failures = FailedTokenCalls()
        let spellings = ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"]
        for text in spellings { failures.record(address: address(text), client: "c", at: at(0)) }
        for text in spellings { #expect(failures.wait(address: address(text), client: "d", at: at(1)) == 1) }
        // All of IPv4 is no network.
        #expect(failures.wait(address: address("::ffff:192.0.2.2"), client: "c", at: at(1)) == nil)
    }

    @Test func `counts an IPv6 network of 64 bits as one caller`() {
        let failures = FailedTokenCalls()
        for last in 1...5 { failures.record(address: address("2001:db8:1:2::\(last)"), client: "c", at: at(0)) }
        #expect(failures.wait(address: address("2001:db8:1:2:ffff::"), client: "d", at: at(1)) == 1)
        #expect(failures.wait(address: address("2001:db8:1:3::1"), client: "d", at: at(1)) == nil)
    }

    @Test func `counts by the client id where there is no address`() {
        let failures = FailedTokenCalls()
        for index in 0..<Int64(20) {
            #expect(failures.wait(address: nil, client: "c", at: at(index)) == nil)
            failures.record(address: nil, client: "c", at: at(index))
        }
        #expect(failures.wait(address: nil, client: "c", at: at(1000)) == 599)
        #expect(failures.wait(address: nil, client: "d", at: at(1000)) == nil)
        #expect(failures.wait(address: address("192.0.2.1"), client: "c", at: at(1000)) == nil)
        #expect(failures.wait(address: nil, client: "c", at: at(600_000)) == nil)
    }

    @Test func `lets nobody pass uncounted when its table is full of limited keys`() {
        let failures = FailedTokenCalls(maxKeys: 100)
        for index in 0..<50 {
            for _ in 0..<20 { failures.record(address: address("10.0.0.\(index)"), client: "c\(index)", at: at(0)) }
        }
        // The second window of the addresses has not passed yet: no key has room.
        for _ in 0..<5 { failures.record(address: address("192.0.2.1"), client: "x", at: at(1)) }
        #expect(failures.wait(address: address("192.0.2.1"), client: "x", at: at(2)) == 1)
        // Those who are limited stay so.
        for index in 0..<50 {
            #expect((failures.wait(address: address("10.0.0.\(index)"), client: "c\(index)", at: at(2)) ?? 0) > 500)
        }
        let passing = (1...200).count {
            failures.wait(address: address("198.51.100.\($0)"), client: "y", at: at(2)) == nil
        }
        #expect(passing > 150, "others share a key with the one who failed by chance only")
    }
}
