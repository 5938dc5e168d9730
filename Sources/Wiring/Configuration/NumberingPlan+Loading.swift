internal import Administration
internal import Glibc
internal import PhoneNumbers
internal import Possession
internal import Tokens

extension Configuration {
    /// The numbering plan that numbers are read by: the one of the file, else the one in the program.
    func plan() throws(StartFault) -> PlanFile {
        guard let path = numbers.planFile else { return .builtIn }
        guard let bytes = SmallFile.read(path) else {
            throw .configuration("numbers.planFile: \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        do { return try PlanFile(bytes) { SHA256.digest($0) } } catch {
            throw .configuration("numbers.planFile: \(path) \(error.reason)")
        }
    }

    /// Reads numbers by `inUse`.
    func numberingPlan(_ inUse: PlanInUse) throws(StartFault) -> NumberingPlan {
        do {
            return try NumberingPlan(
                defaultRegion: server.defaultRegion, takesUnknownRanges: numbers.unknownRanges == .allow, inUse)
        } catch {
            throw .configuration("server.defaultRegion: there is no such region")
        }
    }

    /// Whether numbers are taken that lie in no range of the plan.
    ///
    /// - Returns: why they are not; `nil`: they are.
    func refusalOfUnknownRange(_ inUse: PlanInUse) -> (@Sendable () -> String)? {
        guard numbers.unknownRanges == .refuse else { return nil }
        return { "is in no range that the numbering plan \(inUse.file.version) knows" }
    }
}

extension PlanInUse.Change {
    static func made(of file: PlanFile) throws(StartFault) -> PlanInUse.Change {
        do { return try PlanInUse.Change(to: file) } catch {
            throw .configuration("numbers.planFile: \(error.reason)")
        }
    }
}

extension PlanFile {
    /// Regulators open ranges all the time: a plan of this age lacks some in most countries.
    private static let oldSeconds: Int64 = 365 * 86_400

    /// For people.
    var line: String { "numbering plan \(version) of \(released)" }

    func ageSeconds(at now: Timestamp) -> Int64 { max(0, now.seconds - releasedSeconds) }

    /// A problem with the plan and its remedy, for the operator; `nil`: there is none.
    func warning(at now: Timestamp) -> String? {
        if releasedSeconds < PlanFile.builtIn.releasedSeconds {
            return
                "numbers.planFile: the \(line) is older than the one in the program, \(PlanFile.builtIn.version) of \(PlanFile.builtIn.released): take the setting away, or write a newer file with scripts/numbering-plan"
        }
        guard ageSeconds(at: now) > Self.oldSeconds else { return nil }
        return
            "numbers.planFile: the \(line) is over a year old and lacks the ranges that were opened since: write a newer file with scripts/numbering-plan"
    }
}
