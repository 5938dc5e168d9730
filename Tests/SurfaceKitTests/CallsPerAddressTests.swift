@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
import Possession
import TestSupport
import Testing
import Text

@Suite struct CallsPerAddressTests {
    private func at(_ milliseconds: Int64) -> Timestamp { FixedClock.start.adding(.milliseconds(milliseconds)) }

    /// Calls of one address until one is refused.
    private func passed(_ calls: CallsPerAddress, _ address: String?, at now: Timestamp, of most: Int = 10_000) -> Int {
        let address = address.flatMap { IPAddress($0) }
        return (0..<most).first { _ in calls.take(address, at: now) != nil } ?? most
    }

    @Test func `passes four seconds' worth at once, and then the rate`() {
        let calls = CallsPerAddress(perSecond: 50)
        #expect(passed(calls, "192.0.2.1", at: at(0)) == 200)
        #expect(passed(calls, "192.0.2.1", at: at(19)) == 0)
        #expect(passed(calls, "192.0.2.1", at: at(20)) == 1)
        #expect(passed(calls, "192.0.2.1", at: at(1020)) == 50)
        #expect(passed(calls, "192.0.2.2", at: at(1020)) == 200, "another address")
        #expect(passed(calls, "192.0.2.1", at: at(60_000)) == 200)
    }

    @Test(arguments: [1, 3, 50, 1_999]) func `lets the next call pass after the time it told`(rate: Int) throws {
        let calls = CallsPerAddress(perSecond: rate)
        let address = try #require(IPAddress("192.0.2.1"))
        #expect(passed(calls, "192.0.2.1", at: at(0), of: 1_000_000) == 4 * rate)
        var now = at(0)
        for _ in 0..<5 {
            let wait = try #require(calls.take(address, at: now))
            now = now.adding(.seconds(wait))
            #expect(calls.take(address, at: now) == nil)
            while calls.take(address, at: now) == nil {}
        }
    }

    @Test func `counts IPv6 by its 64, and its 48 five times as much`() {
        let calls = CallsPerAddress(perSecond: 10)
        #expect(passed(calls, "2001:db8:1:1::1", at: at(0)) == 40)
        #expect(passed(calls, "2001:db8:1:1:ffff::2", at: at(0)) == 0)
        let others = (2..<20).map { passed(calls, "2001:db8:1:\($0)::1", at: at(0)) }
        #expect(others.reduce(40, +) == 200)
        #expect(passed(calls, "2001:db8:2:1::1", at: at(0)) == 40, "another network")
    }

    @Test func `callers without an address count together, as a network does`() {
        let calls = CallsPerAddress(perSecond: 10)
        #expect(passed(calls, nil, at: at(0)) == 200)
    }

    @Test func `an IPv4 address has one count in either form`() {
        let calls = CallsPerAddress(perSecond: 10)
        #expect(passed(calls, "192.0.2.1", at: at(0)) == 40)
        #expect(passed(calls, "::ffff:192.0.2.1", at: at(0)) == 0)
    }

    @Test func `a clock that goes back neither gives nor blocks for longer than the burst`() {
        let calls = CallsPerAddress(perSecond: 10)
        #expect(passed(calls, "192.0.2.1", at: at(3_600_000)) == 40)
        #expect(passed(calls, "192.0.2.1", at: at(0)) == 0)
        #expect(passed(calls, "192.0.2.1", at: at(4000)) == 0, "it was asked again meanwhile")
        let other = CallsPerAddress(perSecond: 10)
        _ = passed(other, "192.0.2.1", at: at(3_600_000))
        #expect(other.take(IPAddress("192.0.2.1"), at: at(0)) == 1)
    }

    /// ABU-10: the limited one stays limited, newcomers count together, and room is made when calls have come due.
    @Test func `a full table lets nobody pass uncounted`() {
        let calls = CallsPerAddress(perSecond: 1, maxKeys: 100)
        #expect(passed(calls, "192.0.2.1", at: at(0)) == 4)
        for index in 0..<200 { _ = calls.take(IPAddress("10.0.0.\(index)"), at: at(0)) }
        #expect(passed(calls, "192.0.2.1", at: at(0)) == 0)
        // 1024 shared keys of four calls each, whatever the number of addresses.
        var uncounted = 0
        for index in 0..<50_000 {
            let address = IPAddress(ipv4: (172, 16, UInt8(index / 256), UInt8(index % 256)))
            if calls.take(address, at: at(0)) == nil { uncounted += 1 }
        }
        #expect(uncounted <= 4096)
        #expect(passed(calls, "203.0.113.1", at: at(60_000)) == 4)
    }
}
