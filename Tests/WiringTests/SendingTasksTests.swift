import Engine
import Possession
import Locks
import Testing

@testable import Wiring

@Suite(.timeLimit(.minutes(60))) struct SendingTasksTests {
    /// A time that is over when the test says so, or when its task is cancelled.
    private final class Alarm: Sendable {
        private struct State {
            var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
            var cancelled: Set<Int> = []
            var last = 0
        }

        private let state = Locked(State())

        var count: Int { state.withLock { $0.waiting.count } }

        func ring() {
            let all = state.withLock { state in
                defer { state.waiting = [:] }
                return state.waiting
            }
            for one in all.values { one.resume() }
        }

        @Sendable func sleep(_ duration: Duration) async throws {
            let number = state.withLock { state in
                state.last += 1
                return state.last
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { one in
                    let isOver = state.withLock { state in
                        if state.cancelled.remove(number) != nil { return true }
                        state.waiting[number] = one
                        return false
                    }
                    if isOver { one.resume() }
                }
            } onCancel: {
                let one = state.withLock { state in
                    let one = state.waiting.removeValue(forKey: number)
                    if one == nil { state.cancelled.insert(number) }
                    return one
                }
                one?.resume()
            }
        }
    }

    /// Opens once.
    private final class Gate: Sendable {
        private let state = Locked<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

        var waiting: Int { state.withLock { $0.waiting.count } }

        func open() {
            let all = state.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for one in all { one.resume() }
        }

        func pass() async {
            await withCheckedContinuation { one in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(one) }
                    return state.isOpen
                }
                if isOpen { one.resume() }
            }
        }
    }

    @Test func `hands back what comes in time`() async {
        let alarm = Alarm()
        let tasks = SendingTasks(wait: .seconds(2), sleep: alarm.sleep)
        #expect(await tasks.run { 7 } == 7)
        await tasks.close()
        #expect(tasks.count == 0)
    }

    @Test func `lets the caller go when it takes long, and goes on`() async {
        let (alarm, gate) = (Alarm(), Gate())
        let done = Locked(false)
        let tasks = SendingTasks(wait: .seconds(2), sleep: alarm.sleep)
        async let value = tasks.run { () -> Int in
            await gate.pass()
            done.withLock { $0 = true }
            return 7
        }
        while alarm.count == 0 || gate.waiting == 0 { await Task.yield() }
        alarm.ring()
        #expect(await value == nil)
        #expect(tasks.count == 1 && !done.withLock { $0 })
        gate.open()
        while tasks.count > 0 { await Task.yield() }
        #expect(done.withLock { $0 })
    }

    @Test func `lets the caller go at once that does not wait`() async {
        let (alarm, gate) = (Alarm(), Gate())
        let done = Locked(false)
        let tasks = SendingTasks(wait: .seconds(2), sleep: alarm.sleep)
        let value = await tasks.run(isWaitedFor: false) { () -> Int in
            await gate.pass()
            done.withLock { $0 = true }
            return 7
        }
        #expect(value == nil && alarm.count == 0 && tasks.count == 1 && !done.withLock { $0 })
        gate.open()
        while tasks.count > 0 { await Task.yield() }
        #expect(done.withLock { $0 })
        await tasks.close()
    }

    @Test func `the end cancels what is under way, and waits for it`() async {
        let alarm = Alarm()
        let wasCancelled = Locked(false)
        let tasks = SendingTasks(wait: .seconds(2), sleep: alarm.sleep)
        async let value = tasks.run { () -> Bool in
            try? await alarm.sleep(.zero)
            wasCancelled.withLock { $0 = true }
            return true
        }
        while tasks.count == 0 { await Task.yield() }
        await tasks.close()
        #expect(wasCancelled.withLock { $0 } && tasks.count == 0)
        alarm.ring()
        _ = await value
        // Work that comes after the end is done in its own call.
        #expect(await tasks.run { 1 } == 1)
    }

    @Test func `one that hangs holds nobody else`() async {
        let (alarm, gate) = (Alarm(), Gate())
        let tasks = SendingTasks(wait: .seconds(2), sleep: alarm.sleep)
        async let slow = tasks.run {
            await gate.pass()
            return 0
        }
        while gate.waiting == 0 { await Task.yield() }
        for index in 1...3 { #expect(await tasks.run { index } == index) }
        gate.open()
        #expect(await slow == 0)
        await tasks.close()
    }
}
