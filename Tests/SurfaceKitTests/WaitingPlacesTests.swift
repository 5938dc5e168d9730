import HTTPServer
import Text
import Testing

@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit

@Suite struct WaitingPlacesTests {
    private func request(_ forwarded: String?, from peer: PeerAddress = .loopback) -> Request {
        Request(
            method: .get, path: "/", headers: Headers(forwarded.map { [("X-Forwarded-For", $0)] } ?? []), peer: peer,
            id: "r")
    }

    private func places(_ most: Int, _ mostPerAddress: Int) throws -> WaitingPlaces {
        WaitingPlaces(most: most, mostPerAddress: mostPerAddress, trustedProxies: try AddressRanges(list: "127.0.0.1"))
    }

    @Test func `counts by the address that the proxy names, IPv6 by its network`() throws {
        let places = try places(100, 2)
        for (first, second, third, other) in [
            ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1:4711", "192.0.2.2"),
            ("2001:db8::1", "2001:db8::2", "[2001:db8::3]:1", "2001:db8:0:1::1"),
        ] {
            let held = try [places.take(for: request(first)), places.take(for: request(second))]
            #expect(throws: WaitingPlaces.Refusal.ofAddress) { try places.take(for: request(third)) }
            let another = try places.take(for: request(other))
            for place in held + [another] { place.giveBack() }
        }
        #expect(places.figures == (waiting: 0, refused: 2))
    }

    @Test func `has one limit for all, also for callers without an address`() throws {
        let places = try places(2, 1)
        let first = try places.take(for: request("192.0.2.1"))
        let second = try places.take(for: request(nil))
        #expect(throws: WaitingPlaces.Refusal.all) { try places.take(for: request("192.0.2.3")) }
        #expect(throws: WaitingPlaces.Refusal.all) { try places.take(for: request(nil)) }
        second.giveBack()
        second.giveBack()
        #expect(places.figures.waiting == 1)
        let third = try places.take(for: request("198.51.100.3"))
        #expect(throws: WaitingPlaces.Refusal.all) { try places.take(for: request(nil)) }
        withExtendedLifetime((first, third)) {}
    }

    @Test func `a network takes as many places as are free, and the next one still finds some`() throws {
        let places = try places(60, 5)
        var held: [WaitingPlaces.Place] = []
        func take(_ network: Int) {
            for host in 1...250 {
                if let place = try? places.take(for: request("198.51.\(network).\(host)")) { held.append(place) }
            }
        }
        for (network, all) in [(0, 30), (1, 45), (2, 53)] {
            take(network)
            #expect(held.count == all)
        }
        held.removeAll()
        take(3)
        #expect(held.count == 30)
    }

    @Test func `gives a place back when nobody holds it`() throws {
        let places = try places(1, 1)
        do { _ = try places.take(for: request("192.0.2.1")) }
        #expect(places.figures.waiting == 0)
    }
}
