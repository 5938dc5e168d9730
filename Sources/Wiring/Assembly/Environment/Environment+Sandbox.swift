internal import SandboxSurfaces
internal import Administration
internal import Clocks
internal import HTTPServer
internal import Engine
internal import Possession
internal import Sandbox

extension Environment {
    /// - Parameters:
    ///   - products: the products of API clients that do not have all of them.
    ///   - world: the numbers that are not users' numbers.
    /// - Throws: `.configuration` with every mistake of the users file.
    static func sandbox(
        _ settings: Configuration.Sandbox, _ products: [ClientID: Set<SandboxProduct>], _ world: PlannedNumbers,
        _ clock: ForwardClock, _ waits: WaitList, _ gateway: (any MessageGateway)?
    ) throws(StartFault) -> Environment {
        let offsetClock = OffsetClock { clock.now() }
        let now: Now = { offsetClock.now() }
        let userList = SandboxUserList(try SandboxUsersFile.load(settings.usersFile).entries, now: now)
        let users = userList.users
        let inbox = InMemoryInbox(now: now) { _ in waits.publish(SandboxSurface.messagesKey) }
        let carrier = ScriptedCarrier(users: users, inbox: inbox, now: now)
        let numbers = SandboxNumbers(
            users, unknown: settings.unknownNumbers.rule, products: products, world: world)
        return Environment(
            now: now, operatorNow: now, numbers: numbers, emails: SandboxEmails(users), gateway: gateway ?? carrier,
            codes: .scripted(users),
            capabilities: Session.Capabilities(mobileAuth: true, testMode: true),
            reputation: { _ in ReputationCheck(ScriptedReputation(users)) },
            simSwaps: ScriptedSIMSwaps(users, now: now),
            people: { SandboxPeople(userList, others: $0) },
            finder: { SandboxPersonFinder(users, others: $0) },
            operators: { network, registry in
                SimulatedConnections(network.simulatedDirectory(registry), numbers: numbers)
            },
            played: PlayedWorld(clock: offsetClock, inbox: inbox, userList: userList, carrier: carrier))
    }
}
