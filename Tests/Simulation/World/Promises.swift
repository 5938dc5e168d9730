/// Checks the rules that must hold, and keeps those that were broken.
final class Promises {
    private(set) var broken: [String] = []

    func broken(_ what: String) {
        guard broken.count < 50 else { return }
        broken.append(what)
        Sim.note("BROKEN: \(what)")
    }

    func require(_ holds: Bool, _ what: @autoclosure () -> String) {
        if !holds { broken(what()) }
    }
}
