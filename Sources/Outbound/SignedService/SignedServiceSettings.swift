/// Settings of a service of the operator's own. Texts as they were configured.
package struct SignedServiceSettings: Sendable, Equatable {
    /// URL of the service.
    package var url: String
    /// Longest wait for an answer.
    package var timeout: Duration = .seconds(3)
    /// Failures in a row after which the service is left alone; 0: never.
    package var breakerFailures = 5
    /// For how long.
    package var breakerPause: Duration = .seconds(30)

    package init(url: String) {
        self.url = url
    }

    /// The rule that the URL breaks: `https`, or `http` on loopback.
    package var urlDefect: String? { OutboundURL.defect(of: url) }
}
