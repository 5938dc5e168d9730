internal import Administration
internal import Glibc
internal import PhoneNumbers
internal import Possession
internal import Tokens

extension Configuration {
    /// The numbering plan in the file, or else the built-in one.
    func plan() throws(StartFault) -> PlanFile {
        guard let path = numbers.planFile else { return .builtIn }
        guard let bytes = SmallFile.read(path) else {
            throw .configuration("numbers.planFile: \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        do { return try PlanFile(bytes) { SHA256.digest($0) } } catch {
            throw .configuration("numbers.planFile: \(path) \(error.reason)")
        }
    }

    /// The directory that reads numbers by `inUse`.
    func numberingPlan(_ inUse: PlanInUse) throws(StartFault) -> NumberingPlan {
        do {
            return try NumberingPlan(
                defaultRegion: server.defaultRegion, takesUnknownRanges: numbers.unknownRanges == .allow, inUse)
        } catch {
            throw .configuration("server.defaultRegion: there is no such region")
        }
    }

    /// Why numbers outside all ranges of the plan are refused.
    ///
    /// - Returns: the reason; `nil`: they are accepted.
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
    /// Regulators open new ranges all the time. A plan of this age lacks some in most countries.
    private static let oldSeconds: Int64 = 365 * 86_400

    /// The description for people.
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
