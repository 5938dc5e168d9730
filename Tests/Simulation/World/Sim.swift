internal import Machine

/// The machine below, in words of Swift. Every number and every moment comes from the seed.
enum Sim {
    /// Monotonic nanoseconds.
    static var now: UInt64 { machine_now() }
    static var wallMilliseconds: Int64 { machine_wall_ms() }

    /// From 0 up to `bound`, which is not included.
    static func draw(_ bound: Int) -> Int { Int(machine_random() % UInt64(max(1, bound))) }
    static func draw(_ range: ClosedRange<Int>) -> Int { range.lowerBound + draw(range.count) }
    /// True once in so many times.
    static func onceIn(_ times: Int) -> Bool { draw(times) == 0 }
    static func pick<Element>(_ elements: [Element]) -> Element { elements[draw(elements.count)] }

    static func note(_ line: String) { machine_note(line) }

    static func sleep(milliseconds: Int) { machine_sleep(UInt64(max(0, milliseconds)) * 1_000_000) }

    /// Runs `body` in a lane of its own, beside the server and over its end.
    static func spawn(_ name: String, _ body: @escaping () -> Void) {
        let job = Unmanaged.passRetained(Job(body))
        machine_spawn(
            name, { context in context.map { Unmanaged<Job>.fromOpaque($0) }?.takeRetainedValue().body() },
            job.toOpaque())
    }

    private final class Job {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }
}
