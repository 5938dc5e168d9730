import Testing
import Text

@testable import HTTPServer

@Suite struct AdmissionTests {
    private static func admission(_ most: Int, perAddress: Int) -> Admission {
        var limits = Limits()
        limits.maxConnections = most
        limits.maxConnectionsPerAddress = perAddress
        limits.reservedConnections = 0
        return Admission(limits)
    }

    private static func peer(_ text: String) -> PeerAddress { PeerAddress(IPAddress(text)) }

    @Test(arguments: ["198.51.100.", "2001:db8:7:"])
    func `a network has as many connections as are free`(network: String) {
        let admission = Self.admission(100, perAddress: 10)
        var taken = 0
        for host in 1...90 {
            let peer = Self.peer(network + (network.hasSuffix(":") ? "\(host)::1" : "\(host)"))
            if admission.admit(peer) != nil { taken += 1 }
        }
        #expect(taken == 50 && admission.figures.refused.overAddress == 40)
        #expect(admission.admit(Self.peer("203.0.113.9")) != nil)
    }

    @Test func `busy networks have equal parts, and a further one finds a place`() {
        let admission = Self.admission(100, perAddress: 10)
        var taken: [Int: Int] = [:]
        for host in 1...250 {
            for network in 0..<9 where admission.admit(Self.peer("10.0.\(network).\(host)")) != nil {
                taken[network, default: 0] += 1
            }
        }
        #expect(taken.values.allSatisfy { (10...11).contains($0) } && taken.count == 9)
        #expect(admission.admit(Self.peer("203.0.113.9")) != nil)
    }

    @Test func `what a network has given back it may have again`() {
        let admission = Self.admission(10, perAddress: 5)
        for host in 1...10 { _ = admission.admit(Self.peer("10.0.0.\(host)")) }
        #expect(admission.admit(Self.peer("10.0.0.99")) == nil)
        admission.release(Self.peer("10.0.0.1"), .ordinary)
        #expect(admission.admit(Self.peer("10.0.0.99")) != nil)
    }

    @Test func `has no limit by network where addresses have none`() {
        let admission = Self.admission(10, perAddress: 10)
        for _ in 0..<10 { #expect(admission.admit(Self.peer("10.0.0.1")) != nil) }
    }
}
