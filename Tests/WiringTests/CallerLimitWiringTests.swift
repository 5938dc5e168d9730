import Testing

@testable import Wiring

/// `limits.callsPerAddressPerSecond`, from the setting to the surfaces.
@Suite struct CallerLimitWiringTests {
    /// How many of thirty looks at links that do not exist pass, and what the metrics say of the others.
    private func passed(enforced: Bool) async throws -> (
        count: Int, metrics: String
    ) {
        let settings = [
            "HOLDFAST_LIMITS_CALLS_PER_ADDRESS_PER_SECOND": "1", "HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "\(enforced)",
        ]
        let configuration = try ServerFixture.configuration(ServerFixture.freshDirectory(), settings)
        return try await ServerFixture.withServer(configuration) { _, port in
            var count = 0
            for _ in 0..<30 where try ServerFixture.call(port, "GET", "/l/x").status == 404 { count += 1 }
            return (count, String(decoding: try ServerFixture.call(port, "GET", "/metrics").body, as: UTF8.self))
        }
    }

    @Test func `a sandbox asks nothing unless it enforces limits`() async throws {
        let free = try await passed(enforced: false)
        #expect(free.count == 30)
        #expect(free.metrics.contains("holdfast_limit_hits_total{limit=\"calls_per_address\"} 0"))
        // Loopback names nobody, and has the five times of a network. A slow machine earns some more meanwhile.
        let limited = try await passed(enforced: true)
        #expect((20..<30).contains(limited.count))
        #expect(
            limited.metrics.contains("holdfast_limit_hits_total{limit=\"calls_per_address\"} \(30 - limited.count)"))
    }
}
