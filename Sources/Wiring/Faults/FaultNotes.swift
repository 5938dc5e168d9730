/// Which faults last now, and what is to be said of them: when one begins, every so often while it lasts, when it ends.
///
/// A value: monotonic nanoseconds go in.
struct FaultNotes: Sendable {
    /// A note to write about a fault.
    enum Note: Sendable, Equatable { case begins, lasts, ends }

    private struct Course {
        var said: UInt64
        var seen: UInt64
    }

    /// Between two lines on the same lasting fault.
    static let reminder: UInt64 = 60_000_000_000
    /// A fault that comes and goes is one fault: it has ended when it was away so long.
    static let calm: UInt64 = 5_000_000_000

    private var courses: [Fault: Course] = [:]

    var lasting: Set<Fault> { Set(courses.keys) }

    /// Takes note of whether `fault` is there at `now`.
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
