import Foundation
import Holdfast

/// One story against the real server.
struct Scene: Sendable {
    let name: String
    let play: @Sendable (Stage) async throws -> Void

    init(_ name: String, _ play: @escaping @Sendable (Stage) async throws -> Void) {
        self.name = name
        self.play = play
    }
}

/// Backend and directory of one scene.
struct Stage: Sendable {
    let backend: Backend
    /// Where this scene's keys are.
    let directory: URL

    func client(
        _ person: Person, over network: Network = Network(), isLink: Bool = false,
        _ change: (inout PossessionClient.Options) -> Void = { _ in }
    ) -> PossessionClient {
        var options = PossessionClient.Options()
        options.transport = network
        options.keyDirectory = directory
        options.usesDeviceKey = false
        change(&options)
        let steps = PossessionSteps(
            finish: { await person.finish($0) }, otp: isLink ? nil : person.otp,
            instantLink: isLink ? person.instantLink : nil)
        return PossessionClient(steps: steps, options: options)
    }

    /// Runs a session, and holds what the person was asked, what went out and what the backend learns to what is expected.
    func expect(
        _ number: String? = "2001004014", _ more: [String: JSON] = [:], acts: [Person.Act],
        over network: Network = Network(), _ change: (inout PossessionClient.Options) -> Void = { _ in },
        asked: [String], calls: [String]? = nil, fails: ErrorName? = nil, result: String
    ) async throws {
        let session = try await backend.unify(number, more)
        let person = Person(acts)
        try await expectEnd(of: session, client(person, over: network, change), fails: fails)
        try await same(person.asked, asked, "what the person was asked")
        if let calls { try same(network.calls, calls, "what went out") }
        try await same(backend.result(of: session), result, "the result")
    }

    func expectEnd(of session: Backend.Session, _ client: PossessionClient, fails: ErrorName? = nil) async throws {
        var failure: ErrorName?
        do {
            try await client.authenticate(session.authToken)
        } catch let error as PossessionError {
            failure = error.name
        }
        try same(failure?.rawValue ?? "no error", fails?.rawValue ?? "no error", "the end")
    }
}

/// Longer than any scene takes.
private let sceneSeconds: UInt64 = 60

func runScenes(at url: String, scratch: URL, _ report: Report) async {
    let backend: Backend
    do { backend = try await Backend.connected(to: url) } catch { return await report.add("the backend", error) }
    await withTaskGroup(of: Void.self) { group in
        let allScenes = otpScenes + checkScenes + harmScenes + killScenes + proveAuthScenes
        for (index, scene) in allScenes.enumerated() where report.covers(scene.name) {
            let stage = Stage(backend: backend, directory: scratch.appendingPathComponent("scene-\(index)"))
            group.addTask { await report.add(scene.name, await failure(of: scene, stage)) }
        }
    }
}

/// Error of a scene, also when it does not end in time; `nil`: it went well.
private func failure(of scene: Scene, _ stage: Stage) async -> (any Error)? {
    await withTaskGroup(of: (any Error)?.self) { group in
        group.addTask {
            do {
                try await scene.play(stage)
                return nil
            } catch {
                return error
            }
        }
        group.addTask {
            try? await Task.sleep(nanoseconds: sceneSeconds * 1_000_000_000)
            return Failure("no end within \(sceneSeconds) s")
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
}
