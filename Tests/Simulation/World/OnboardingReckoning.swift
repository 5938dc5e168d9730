internal import Possession

/// The look at processes and their activations, when nothing is wrong any more.
struct OnboardingReckoning {
    let world: World

    private static let codeSeconds = 300
    private static let processSeconds = 10_800
    private static let pauseSeconds: UInt64 = 30
    private static let mostMessages = 20

    func look() {
        // Callers end what they have begun.
        Sim.sleep(milliseconds: 40_000)
        let visit = ProcessVisit(world: world)
        for history in world.processes { visit.repeated(.read, history) }
        lookAtStore()
        for history in world.processes { look(at: history) }
        for history in world.activations { look(at: history) }
        if world.settings.seed % 4 == 0 { waitForTheEnd(visit) }
    }

    /// A process is finished if it has an activation, and then it has one: of the person to whom its code went.
    private func lookAtStore() {
        guard let stored = world.storedActivations(of: "shop") else {
            return world.promises.broken("activations are told when nothing is wrong")
        }
        let finished = Set(world.processes.filter { $0.operations.last?.told == .finished }.map(\.id))
        world.promises.require(
            Set(stored.map(\.sessionID.text)).count == stored.count, "a process has one activation at most")
        for activation in stored {
            let id = activation.sessionID.text
            guard let history = world.processes.first(where: { $0.id == id }) else {
                world.promises.broken("an activation has a process that was told (\(id))")
                continue
            }
            world.promises.require(finished.contains(id), "a process with an activation is finished (\(id))")
            world.promises.require(
                activation.target.number?.e164 == history.person.number && history.person.number != nil,
                "an activation is of the person who got the code (\(id))")
            world.promises.require(
                history.activation.map { $0 == activation.id.text } ?? true, "an activation is the one told (\(id))")
        }
        let activated = Set(stored.map(\.sessionID.text))
        for id in finished {
            world.promises.require(activated.contains(id), "a process that is finished has an activation (\(id))")
        }
        for history in world.processes where history.activation != nil {
            world.promises.require(
                activated.contains(history.id), "an activation that was acknowledged stays (\(history.id))")
        }
    }

    private func look(at history: ProcessHistory) {
        let messages = world.carrier.messages(of: history.id)
        for message in messages {
            world.promises.require(
                message.number == history.person.number, "codes go to whom the credentials name (\(history.id))")
        }
        let refused = world.carrier.refused[history.id, default: 0]
        // After a crash time goes on from up to five seconds later, where the machine's clock is behind.
        let longest = (Sim.now - history.began + world.ahead) / 1_000_000_000 + 5 * UInt64(world.lives)
        world.promises.require(
            messages.count <= min(Self.mostMessages, 1 + Int(longest / Self.pauseSeconds)) + refused,
            "from one message of a process to the next it takes 30 seconds (\(history.id): \(messages.count))")
        let known = ProcessModel.World(
            codes: messages.compactMap { message in message.code.map { ($0, message.at) } },
            mayExpire: world.hasSteppedFar || longest > UInt64(Self.codeSeconds), isDisturbed: refused > 0,
            unsureSends: history.unsureSends)
        let verdict = Linearisation.check(history.operations, from: ProcessModel(), after: { $0.after($1, known) })
        judge(verdict, "a process", history.id, history.operations.map(\.line) + ["codes \(known.codes)"])
    }

    private func look(at history: ActivationHistory) {
        let verdict = Linearisation.check(history.operations, from: ActivationModel(), after: { $0.after($1) })
        judge(verdict, "an activation", history.phone.activationID, history.operations.map(\.line))
    }

    private func judge(_ verdict: Verdict, _ what: String, _ id: String, _ lines: [String]) {
        switch verdict {
        case .holds: world.figures.histories += 1
        case .tooLong: Sim.note("a history is too long: \(id)")
        case .broken:
            for line in lines { Sim.note("  \(line)") }
            world.promises.broken("the calls of \(what) can be put in order (\(id))")
        }
    }

    /// A late code costs no try, and a process that nobody ends is over after its time.
    private func waitForTheEnd(_ visit: ProcessVisit) {
        let open = world.processes.filter { $0.operations.last?.told == .activating }
        guard !open.isEmpty else { return }
        Sim.sleep(milliseconds: (Self.codeSeconds + 1) * 1000)
        for history in open {
            guard let code = world.carrier.messages(of: history.id).compactMap(\.code).last,
                case .refused(let before) = visit.once(.malformed, history), before > 0
            else { continue }
            let told = visit.once(.activate(code: code), history)
            world.promises.require(
                told == .refused(triesLeft: before), "a late code activates nothing and costs no try (\(history.id))")
        }
        Sim.sleep(milliseconds: Self.processSeconds * 1000)
        for history in open {
            world.promises.require(
                visit.once(.read, history) == .failed, "a process is over after three hours (\(history.id))")
        }
    }
}
