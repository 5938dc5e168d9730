import Foundation
import Holdfast

private let scripts = ["otp", "link", "device", "mobile-auth", "repeats", "tokens-and-time", "clock-jumps", "resume"]

/// Plays all vectors of `Clients/vectors` that are for iOS.
func runVectors(in folder: URL, _ report: Report) async {
    do {
        let token = try read("token", in: folder)
        guard let text = token["token"]?.string, let now = token["now"]?.number else { throw Failure("no token") }
        for file in scripts {
            for vector in try read(file, in: folder)["vectors"]?.array ?? [] {
                if let platforms = vector["platforms"]?.array, !platforms.contains("ios") { continue }
                await attempt("\(file): \(vector["name"]?.string ?? "")", report) {
                    try await Script(vector, token: text, now: now).play()
                }
            }
        }
        try await runExamples(in: folder, token: token, report)
        await runHTTPText(report)
        await runKeyFiles(report)
        await runChaos(token: text, now: now, report)
    } catch {
        await report.add("the vectors", error)
    }
}

func read(_ name: String, in folder: URL) throws -> JSON {
    try JSON(Data(contentsOf: folder.appendingPathComponent("\(name).json")))
}

func attempt(_ name: String, _ report: Report, _ work: () async throws -> Void) async {
    guard report.covers(name) else { return }
    do {
        try await work()
        await report.add(name, nil)
    } catch {
        await report.add(name, error)
    }
}
