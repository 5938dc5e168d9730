internal import Logging
internal import Observation
internal import Tokens

/// Parts that most of the server stands on.
struct Groundwork: Sendable {
    let configuration: Configuration
    let logger: Logger
    let registry: MetricsRegistry
    let addresses: ServerAddresses
    let surroundings: Surroundings
    let store: Store
    let tokens: ES256TokenService
}
