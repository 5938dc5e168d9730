internal import Administration
internal import Clocks
internal import HTTPServer
internal import Observation
internal import PhoneNumbers
internal import Possession
internal import Sandbox

/// Surroundings of the engine that differ by mode: the ports that a live server has from the world, and a sandbox plays.
///
/// The mode is decided here and nowhere else in the assembly: `Surroundings+Live.swift` and `Surroundings+Sandbox.swift`
/// are the two sets of ports. A carrier of messages is one line in the set of its mode.
struct Surroundings: Sendable {
    /// The clock that everything stored goes by.
    let now: Now
    /// By which operators compare assertions.
    let operatorNow: Now
    let numbers: any NumberDirectory
    /// The number that people mean by a text when they name themselves: as the import reads it.
    private(set) var peopleNumber: @Sendable (String) -> PhoneNumber? = { PhoneNumber(e164: $0) }
    /// `nil`: those of the world, where a route carries e-mail.
    let emails: (any EmailDirectory)?
    /// `nil`: the gateways of the configuration.
    let gateway: (any MessageGateway)?
    let codes: any CodeSource
    let capabilities: Session.Capabilities
    /// How the standing of numbers is learned, given what the configuration has; `nil`: nobody is asked.
    let reputation: @Sendable (ReputationCheck?) -> ReputationCheck?
    /// Source that knows the SIM of numbers; `nil`: the operators of the configuration.
    let simSwaps: (any SIMSwapSource)?
    /// Makes the source of people from the source that both modes have.
    let people: @Sendable (any IdentitySource) -> any IdentitySource
    /// Makes the finder of people by credentials from the finder that both modes have.
    let finder: @Sendable (any PersonFinder) -> any PersonFinder
    let operators: @Sendable (MobileNetwork, MetricsRegistry) -> any MobileOperators
    /// The parts that only a sandbox has; `nil` in live.
    let played: PlayedWorld?

    /// - Parameters:
    ///   - inUse: the numbering plan of now.
    ///   - clock: the machine's, which only goes forward.
    ///   - waits: woken by each message of a sandbox.
    ///   - gateway: instead of the one that the mode has.
    /// - Throws: `.configuration` with every mistake of the users file.
    init(
        _ configuration: Configuration, plan inUse: PlanInUse, clock: ForwardClock, waits: WaitList,
        gateway: (any MessageGateway)? = nil
    ) throws(StartFault) {
        let plan = try configuration.numberingPlan(inUse)
        let world = PlannedNumbers(
            refusesKinds: configuration.enforcesLimitsOverSessions,
            unknownRange: configuration.refusalOfUnknownRange(inUse), abroad: { plan.dialledAbroad($0) },
            region: { plan.region(of: $0) }, plan: { plan.planned($0) })
        if let settings = configuration.sandbox {
            self = try .sandbox(settings, configuration.sandboxProducts, world, clock, waits, gateway)
        } else {
            self = .live(world, clock, hasOperators: !configuration.mobileAuth.operators.isEmpty, gateway)
        }
        let typed = PeopleNumbers(plan, played?.userList.users)
        peopleNumber = { typed.number($0) }
        // The plan's tables take some 20 ms to build: not on a loop, at the first request.
        if configuration.sandbox?.unknownNumbers != .refuse { _ = plan.number("+12015550123") }
    }

    /// For the one initializer above.
    init(
        now: @escaping Now, operatorNow: @escaping Now, numbers: any NumberDirectory,
        emails: (any EmailDirectory)?, gateway: (any MessageGateway)?, codes: any CodeSource,
        capabilities: Session.Capabilities,
        reputation: @escaping @Sendable (ReputationCheck?) -> ReputationCheck?, simSwaps: (any SIMSwapSource)?,
        people: @escaping @Sendable (any IdentitySource) -> any IdentitySource,
        finder: @escaping @Sendable (any PersonFinder) -> any PersonFinder,
        operators: @escaping @Sendable (MobileNetwork, MetricsRegistry) -> any MobileOperators, played: PlayedWorld?
    ) {
        self.now = now
        self.operatorNow = operatorNow
        self.numbers = numbers
        self.emails = emails
        self.gateway = gateway
        self.codes = codes
        self.capabilities = capabilities
        self.reputation = reputation
        self.simSwaps = simSwaps
        self.people = people
        self.finder = finder
        self.operators = operators
        self.played = played
    }

    var isSandbox: Bool { played != nil }
}
