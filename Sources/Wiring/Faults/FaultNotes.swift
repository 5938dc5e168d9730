/// Decides when to log a fault: when it begins, at intervals while it lasts, and when it ends.
///
/// A value without a clock: callers pass monotonic nanoseconds.
struct FaultNotes: Sendable {
    /// A note to write about a fault.
    enum Note: Sendable, Equatable { case begins, lasts, ends }

    private struct Course {
        var said: UInt64
        var seen: UInt64
    }

    /// The time between two log lines about the same lasting fault.
    static let reminder: UInt64 = 60_000_000_000
    /// A fault ends when it has been absent for this long. So a fault that comes and goes counts as one.
    static let calm: UInt64 = 5_000_000_000

    private var courses: [Fault: Course] = [:]

    var lasting: Set<Fault> { Set(courses.keys) }

    /// Records whether `fault` is present at `now`. Returns the note to write.
    mutating func see(_ fault: Fault, _ isThere: Bool, at now: UInt64) -> Note? {
        guard var course = courses[fault] else {
            guard isThere else { return nil }
            courses[fault] = Course(said: now, seen: now)
            return .begins
        }
        if isThere { course.seen = now }
        if !isThere && now &- course.seen >= FaultNotes.calm {
            courses[fault] = nil
            return .ends
        }
        let isDue = isThere && now &- course.said >= FaultNotes.reminder
        if isDue { course.said = now }
        courses[fault] = course
        return isDue ? .lasts : nil
    }
}
