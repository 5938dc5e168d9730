/// Settings of the operator's own service. Texts as configured.
package struct SignedServiceSettings: Sendable, Equatable {
    /// URL of the service.
    package var url: String
    /// Longest wait for an answer.
    package var timeout: Duration = .seconds(3)
    /// Consecutive failures after which the service is not called for a while; 0: never.
    package var breakerFailures = 5
    /// How long the service is not called.
    package var breakerPause: Duration = .seconds(30)

    package init(url: String) {
        self.url = url
    }

    /// The rule that the URL breaks: `https`, or `http` on loopback.
    package var urlDefect: String? { OutboundURL.defect(of: url) }
}
