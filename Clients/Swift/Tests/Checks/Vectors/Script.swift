import Foundation
import Holdfast

/// Plays one vector (`Clients/vectors/README.md`) against the library: server, app, clock and storage.
///
/// Library and script live on one actor, so that the script sees when the library has nothing left to do: whatever it has to do
/// is in the actor's queue.
@ClientActor
final class Script {
    /// More turns than the longest chain of work that one event sets off.
    private static let turns = 200

    private let vector: JSON
    private let token: String
    private let clock: PlayedClock
    private let vault = PlayedVault()
    private let keys: KeyStore
    private var world: PlayedWorld!
    private var client: PossessionClient!
    private var going: RunUnderWay?
    private var events: [Event] = []
    private var names: [String: Event] = [:]
    private var checks: CallChecks

    init(_ vector: JSON, token: String, now: Double) {
        self.vector = vector
        self.token = vector["token"]?.string ?? token
        clock = PlayedClock(
            now + (vector["startsAfter"]?.number ?? 0), deviceOff: vector["deviceClockOff"]?.number ?? 0)
        keys = platformKeys(vault: vault, isLasting: vector["app"]?["deviceKey"] != nil)
        checks = CallChecks(token: self.token)
    }

    func play() async throws {
        guard let entries = vector["script"]?.array else { throw Failure("no script") }
        if vector["app"]?["deviceKey"] == "kept" {
            _ = try keys.makeDevice("https://device.example/client/v1", inPlaceOf: nil, now: 0)
        }
        open()
        begin()
        for (index, entry) in entries.enumerated() {
            do {
                try await perform(entry, next: index + 1 < entries.count ? entries[index + 1] : nil)
            } catch {
                let text = String(decoding: (try? entry.data) ?? Data(), as: UTF8.self)
                throw Failure("entry \(index + 1), \(text.prefix(160)): \(error)")
            }
        }
        await patience { clock.count == 0 }
        if let event = events.first { throw Failure("after the script: \(describe(event))") }
        if clock.count > 0 { throw Failure("\(clock.count) timers are left") }
    }

    private func open() {
        let app = vector["app"]
        world = PlayedWorld(
            clock: clock, keys: keys, cellular: app?["mobileAuth"]?.bool == true ? .yes : .no
        ) { [weak self] in self?.events.append($0) }
        var settings = Settings()
        settings.steps = world.runner(of: app?["steps"]?.array?.compactMap(\.string) ?? [])
        settings.isSecondary = app?["role"] == "secondary"
        settings.servers = app?["servers"]?.array?.compactMap(\.string) ?? []
        client = PossessionClient(settings: settings, world: world)
    }

    private func begin() {
        let going = client.begin(token)
        world.noticeEnd(of: going)
        self.going = going
    }

    /// Lets the library do whatever it can.
    private func settle() async {
        for _ in 0..<Self.turns { await Task.yield() }
    }

    /// Waits for something that must come. On a busy machine a turn may be late; only a failure waits long.
    private func patience(_ condition: () -> Bool) async {
        await settle()
        await waitPatiently(condition)
    }

    private func nextEvent() async throws -> Event {
        if events.isEmpty { await patience { !events.isEmpty } }
        guard !events.isEmpty else { throw Failure("the client does nothing") }
        return events.removeFirst()
    }

    // MARK: what happens

    private func perform(_ entry: JSON, next: JSON?) async throws {
        if let seconds = entry["time"]?.number {
            try await pass(seconds, isAnswerNext: next?["with"] != nil)
        } else if let seconds = entry["clockJumps"]?.number {
            clock.deviceOff += seconds
        } else if let answer = entry["with"] {
            try give(answer, to: try named(entry["answer"]?.string))
        } else if let from = entry["from"]?.string {
            guard case .step(let step) = try named(from) else { throw Failure("\(from) is no step") }
            step.give(entry["gives"] ?? .null)
        } else if entry["wakes"] != nil {
            // Effects of the last answer come first.
            await patience { clock.count > 0 }
            world.wake()
        } else if entry["cancels"] != nil {
            going?.run.cancel()
        } else if entry["killed"] != nil {
            await settle()
            world.kill()
            events = []
            open()
            begin()
        } else if entry["authenticates"] != nil {
            if entry["anew"] != nil { checks.expectAnotherSessionKey() }
            begin()
        } else if let url = entry["opened"]?.string {
            await settle()
            try same(client.open(url), entry["accepts"]?.bool ?? false, "whether the URL is taken")
        } else if let together = entry["together"]?.array {
            try await expectTogether(together)
        } else {
            try expect(entry, try await nextEvent())
        }
    }

    private func named(_ name: String?) throws -> Event {
        guard let name, let event = names[name] else { throw Failure("nothing has the name \(name ?? "")") }
        return event
    }

    private func pass(_ seconds: Double, isAnswerNext: Bool) async throws {
        await settle()
        if let event = events.first { throw Failure("before its time: \(describe(event))") }
        if !isAnswerNext {
            await patience { clock.nextDue.map { abs($0 - clock.seconds - seconds) < 0.002 } ?? false }
            let left = clock.nextDue.map { $0 - clock.seconds }
            guard let left, abs(left - seconds) < 0.002 else {
                throw Failure("the next timer is due in \(left.map { "\($0)" } ?? "no") s")
            }
        }
        clock.pass(seconds)
    }

    private func give(_ answer: JSON, to event: Event) throws {
        if answer == "stalls" { return }
        switch event {
        case .call(_, let taken): taken(answer == "lost" ? nil : try response(answer))
        case .hop(_, let taken): taken(answer == "lost" ? .lost : .response(try response(answer)))
        default: throw Failure("\(describe(event)) takes no answer")
        }
    }

    private func response(_ answer: JSON) throws -> HTTPResponse {
        guard let status = answer["status"]?.number else { throw Failure("an answer without status") }
        let body = try answer["text"]?.string.map { Data($0.utf8) } ?? answer["body"]?.data ?? Data()
        return HTTPResponse(
            status: Int(status), headers: answer["headers"]?.object?.compactMapValues(\.string) ?? [:], body: body)
    }

    // MARK: what the client does

    private func expectTogether(_ entries: [JSON]) async throws {
        var left = entries
        while !left.isEmpty {
            let event = try await nextEvent()
            let index = left.firstIndex { entry in
                switch event {
                case .call: entry["call"] != nil
                case .step: entry["step"] != nil
                default: false
                }
            }
            guard let index else { throw Failure("not \(describe(event))") }
            try expect(left.remove(at: index), event)
        }
    }

    private func expect(_ entry: JSON, _ event: Event) throws {
        if let name = entry["as"]?.string { names[name] = event }
        switch event {
        case .call(let request, _) where entry["call"] != nil:
            try checks.check(request, entry, trueTime: clock.seconds)
            if let answer = entry["answer"] { try give(answer, to: event) }
        case .hop(let url, _) where entry["hop"] != nil:
            try same(url.absoluteString, entry["hop"]?.string ?? "", "hop")
            if let answer = entry["answer"] { try give(answer, to: event) }
        case .step(let step) where entry["step"] != nil:
            try same(step.name, entry["step"]?.string ?? "", "step")
            try same(step.authID, entry["authId"]?.string, "authId")
            try same(step.phoneNumberNeeded, entry["phoneNumberNeeded"]?.bool, "phoneNumberNeeded")
            // Here as on Android, the retry step is not told why it is run again.
            if step.name != "linkRetry" {
                try same(step.error?.name.rawValue, entry["error"]?.string, "error")
            }
            if step.name == "finish" {
                if entry["as"] == nil { step.give(entry["gives"] ?? .null) }
            } else if let gives = entry["gives"] {
                step.give(gives)
            }
        case .ends(let error) where entry["ends"] != nil:
            try expectEnd(entry["ends"], error)
        default: throw Failure("not \(describe(event))")
        }
    }

    private func expectEnd(_ expected: JSON?, _ error: (any Error)?) throws {
        if expected == "done" {
            if let error { throw Failure("it fails: \(error)") }
        } else if expected?["error"] == "$app" {
            guard error is AppError else { throw Failure("the error is \(String(describing: error))") }
        } else {
            let error = error as? PossessionError
            try same(error?.name.rawValue, expected?["error"]?.string, "error")
            guard let error, !error.message.isEmpty, !error.developerMessage.isEmpty else {
                throw Failure("no sentences")
            }
        }
    }
}

/// Real time, for what must come at last.
@ClientActor
func waitPatiently(_ condition: () -> Bool) async {
    for _ in 0..<3000 where !condition() { try? await Task.sleep(nanoseconds: 1_000_000) }
}

private func describe(_ event: Event) -> String {
    switch event {
    case .call(let request, _):
        "a call: \(request.method) \(request.url) \(String(decoding: request.body ?? Data(), as: UTF8.self))"
    case .hop(let url, _): "a hop: \(url)"
    case .step(let step): "the step \(step.name) \(step.error?.name.rawValue ?? "")"
    case .ends(let error): "the end: \(error.map { "\($0)" } ?? "done")"
    }
}
