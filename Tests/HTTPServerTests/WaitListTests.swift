import Locks
import Testing

@testable import HTTPServer

@Suite struct WaitListTests {
    private func onLoop(_ body: @escaping @Sendable (EventLoop) async -> Void) async throws {
        let loop = try EventLoop(name: "test")
        loop.start()
        await Task(executorPreference: loop) { await body(loop) }.value
        loop.stop()
    }

    @Test func `wakes the waiters of the published key alone`() async throws {
        let waits = WaitList()
        let elsewhere = try EventLoop(name: "elsewhere")
        elsewhere.start()
        try await onLoop { _ in
            let mine = waits.register("a")
            let other = waits.register("b")
            elsewhere.post { waits.publish("a") }
            #expect(await mine.wait(for: Fixture.forever) == .published)
            #expect(await other.wait(for: .milliseconds(1)) == .timedOut)
        }
        elsewhere.stop()
    }

    @Test func `does not miss what is published between registering and waiting`() async throws {
        let waits = WaitList()
        try await onLoop { loop in
            let ticket = waits.register("a")
            waits.publish(["x", "a"])
            await Task.yield()
            #expect(await ticket.wait(for: Fixture.forever) == .published)
            #expect(await ticket.wait(for: Fixture.forever) == .published)
        }
    }

    @Test func `ends a wait when its task is cancelled, before and during it`() async throws {
        let waits = WaitList()
        try await onLoop { loop in
            let task = Task(executorPreference: loop) { await waits.register("a").wait(for: Fixture.forever) }
            await Task.yield()
            task.cancel()
            #expect(await task.value == .cancelled)
            let late = Task(executorPreference: loop) {
                withUnsafeCurrentTask { $0?.cancel() }
                return await waits.register("a").wait(for: Fixture.forever)
            }
            #expect(await late.value == .cancelled)
        }
    }

    @Test func `ends waits when draining begins and begins none afterwards`() async throws {
        let waits = WaitList()
        try await onLoop { loop in
            let ticket = waits.register("a")
            loop.post { loop.beginDraining() }
            #expect(await ticket.wait(for: Fixture.forever) == .draining)
            #expect(await waits.register("a").wait(for: Fixture.forever) == .draining)
        }
    }

    @Test func `wakes every waiter on every loop, whoever publishes`() async throws {
        let waits = WaitList()
        let loops = [try EventLoop(name: "one"), try EventLoop(name: "two")]
        for loop in loops { loop.start() }
        let registered = Locked(0)
        await withTaskGroup(of: WaitList.Outcome.self) { group in
            for index in 0..<40 {
                group.addTask(executorPreference: loops[index % 2]) {
                    let ticket = waits.register("a")
                    let all = registered.withLock { count in
                        count += 1
                        return count == 40
                    }
                    if all { waits.publish("a") }
                    return await ticket.wait(for: Fixture.forever)
                }
            }
            for await outcome in group { #expect(outcome == .published) }
        }
        for loop in loops { loop.stop() }
    }

    @Test func `wakes every waiter of every key on every loop with publishAll, and none that comes later`() async throws
    {
        let waits = WaitList()
        waits.publishAll()
        let loops = [try EventLoop(name: "one"), try EventLoop(name: "two")]
        for loop in loops { loop.start() }
        let registered = Locked(0)
        await withTaskGroup(of: WaitList.Outcome.self) { group in
            for index in 0..<40 {
                group.addTask(executorPreference: loops[index % 2]) {
                    let ticket = waits.register("key \(index / 2)")
                    let all = registered.withLock { count in
                        count += 1
                        return count == 40
                    }
                    if all { waits.publishAll() }
                    return await ticket.wait(for: Fixture.forever)
                }
            }
            for await outcome in group { #expect(outcome == .published) }
        }
        for loop in loops { loop.stop() }
        try await onLoop { _ in
            #expect(await waits.register("key 0").wait(for: .milliseconds(1)) == .timedOut)
        }
    }

    @Test func `serves a stream that registers, looks and waits again and again`() async throws {
        let waits = WaitList()
        let number = Locked(0)
        let elsewhere = try EventLoop(name: "elsewhere")
        elsewhere.start()
        try await onLoop { _ in
            var seen = 0
            while seen < 100 {
                let ticket = waits.register("a")
                let news = number.withLock { $0 }
                if news > seen {
                    #expect(news == seen + 1)
                    seen = news
                    // Between the look and the wait, so that the ticket has to keep it.
                    elsewhere.post {
                        number.withLock { $0 += 1 }
                        waits.publish("a")
                    }
                } else if news == 0 {
                    #expect(await ticket.wait(for: .milliseconds(1)) == .timedOut)
                    number.withLock { $0 = 1 }
                    continue
                }
                #expect(await ticket.wait(for: Fixture.forever) == .published)
            }
        }
        elsewhere.stop()
    }

    @Test func `forgets tickets that are let go`() async throws {
        let waits = WaitList()
        try await onLoop { loop in
            let table = loop.waitTable(waits.id) { WaitTable(loop: loop) }
            let kept = waits.register("a")
            _ = waits.register("a")
            #expect(table.hasWaiters)
            #expect(await kept.wait(for: .zero) == .timedOut)
            #expect(!table.hasWaiters)
        }
    }
}
