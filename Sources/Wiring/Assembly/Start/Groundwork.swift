internal import Logging
internal import Observation
internal import Tokens

/// The parts on which most of the server depends.
struct Groundwork: Sendable {
    let configuration: Configuration
    let logger: Logger
    let registry: MetricsRegistry
    let addresses: ServerAddresses
    let surroundings: Surroundings
    let store: Store
    let tokens: ES256TokenService
}
