internal import Administration
internal import Clocks
internal import HTTPServer
internal import Observation
internal import PhoneNumbers
internal import Engine
internal import Possession
internal import Sandbox

/// The engine's ports that differ by mode: a live server connects them to the real world, and a sandbox simulates them.
///
/// The mode is decided only here: `Environment+Live.swift` and `Environment+Sandbox.swift` have one set of ports
/// each. A message carrier is one line in the set of its mode.
struct Environment: Sendable {
    /// The clock for all stored times.
    let now: Now
    /// The clock for assertions that operators check.
    let operatorNow: Now
    let numbers: any NumberDirectory
    /// Reads the number by which people identify themselves, in the same way as the import.
    private(set) var peopleNumber: @Sendable (String) -> PhoneNumber? = { PhoneNumber(e164: $0) }
    /// `nil`: real e-mail addresses, if a route carries e-mail.
    let emails: (any EmailDirectory)?
    /// `nil`: the gateways of the configuration.
    let gateway: (any MessageGateway)?
    let codes: CodeRules
    let capabilities: Session.Capabilities
    /// Makes the reputation check from the configured one; `nil`: no source is asked.
    let reputation: @Sendable (ReputationCheck?) -> ReputationCheck?
    /// The source of SIM changes; `nil`: the operators of the configuration.
    let simSwaps: (any SIMSwapSource)?
    /// Makes the source of people from the source of both modes.
    let people: @Sendable (any IdentitySource) -> any IdentitySource
    /// Makes the finder of people by credentials from the finder of both modes.
    let finder: @Sendable (any PersonFinder) -> any PersonFinder
    let operators: @Sendable (MobileNetwork, MetricsRegistry) -> any MobileOperators
    /// The parts that only a sandbox has; `nil`: a live server.
    let played: PlayedWorld?

    /// - Parameters:
    ///   - inUse: the numbering plan in use.
    ///   - clock: the machine's clock, which never goes back.
    ///   - waits: woken by each message of a sandbox.
    ///   - gateway: replaces the gateway of the mode.
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
        // Building the plan's tables takes about 20 ms. Do it now, not on an event loop at the first request.
        if configuration.sandbox?.unknownNumbers != .refuse { _ = plan.number("+12015550123") }
    }

    /// For the initializer above.
    init(
        now: @escaping Now, operatorNow: @escaping Now, numbers: any NumberDirectory,
        emails: (any EmailDirectory)?, gateway: (any MessageGateway)?, codes: CodeRules,
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
