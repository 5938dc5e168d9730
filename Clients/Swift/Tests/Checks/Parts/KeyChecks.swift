import Foundation
import Holdfast

/// Keys as files: who is first, what is left, what is broken.
func runKeyFiles(_ report: Report) async {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func keys(_ name: String) -> KeyStore {
        platformKeys(vault: FileVault(directory: folder.appendingPathComponent(name)), isLasting: true)
    }
    await attempt("keys: of sixteen that make one, all get the first", report) {
        let keys = keys("race")
        let thumbprints = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 { group.addTask { try keys.session("a", now: 0).thumbprint } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        try same(thumbprints.count, 1, "number of keys")
    }
    await attempt("keys: one of an old session goes when a new one is made", report) {
        let keys = keys("old")
        let old = try keys.session("a", now: 0).thumbprint
        _ = try keys.session("b", now: 1200)
        try same(try keys.session("a", now: 1200).thumbprint, old, "the key after 20 minutes")
        _ = try keys.session("c", now: 1201)
        guard try keys.session("a", now: 1201).thumbprint != old else { throw Failure("the old key is still there") }
    }
    await attempt("keys: a broken file is none, and is replaced", report) {
        let keys = keys("broken")
        let old = try keys.makeDevice("https://auth.example", inPlaceOf: nil, now: 0)
        try same(keys.device("https://auth.example")?.thumbprint, old.thumbprint, "the key that is kept")
        let directory = folder.appendingPathComponent("broken")
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) where name.hasPrefix("device.")
        {
            try Data("{\"key\":\"AA".utf8).write(to: directory.appendingPathComponent(name))
        }
        try same(keys.device("https://auth.example")?.thumbprint, nil, "what is read of a broken file")
        let new = try keys.makeDevice("https://auth.example", inPlaceOf: nil, now: 0)
        try same(keys.device("https://auth.example")?.thumbprint, new.thumbprint, "the key that is kept")
    }
    await attempt("keys: a retired one is replaced, unless another process has done so", report) {
        let keys = keys("rotation")
        let first = try keys.makeDevice("s", inPlaceOf: nil, now: 0)
        let second = try keys.makeDevice("s", inPlaceOf: first, now: 1)
        guard second.thumbprint != first.thumbprint else { throw Failure("the key is not replaced") }
        let third = try keys.makeDevice("s", inPlaceOf: first, now: 2)
        try same(third.thumbprint, second.thumbprint, "the key of the process that comes second")
    }
    await attempt("keys: a folder that cannot be made fails the run, and says why", report) {
        let vault = FileVault(directory: URL(fileURLWithPath: "/dev/null/keys"))
        let world = await PlayedWorld(
            clock: PlayedClock(0), keys: platformKeys(vault: vault, isLasting: true), cellular: .no,
            notice: { _ in })
        let token =
            "e30." + Base64URL.text(Data(#"{"aud":"https://a.example","sub":"s","nonce":"n","iat":1}"#.utf8)) + ".x"
        do {
            try await PossessionClient(settings: Settings(), world: world).authenticate(token)
            throw Failure("it does not fail")
        } catch let error as PossessionError {
            try same(error.name, .keyUnavailable, "the error")
            if error.cause == nil { throw Failure("it does not say why") }
        }
    }
}
