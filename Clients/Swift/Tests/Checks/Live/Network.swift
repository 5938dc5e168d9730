import Foundation
import Holdfast

/// A network that does harm as it is told to, and notes each call that reaches it.
final class Network: MobileNetworkTransport, @unchecked Sendable {
    /// Fate of a call.
    enum Fate: Sendable {
        case well
        /// The server never gets it.
        case lost
        /// The server gets it, and the client never hears of it.
        case answerLost
        /// Half of the answer arrives.
        case answerCut
        /// The server gets it twice, and the first answer arrives.
        case doubled
        /// The server gets it twice, and the second answer arrives.
        case answeredAgain
        case slow(seconds: Double)
        /// Something between client and server answers instead.
        case answered(HTTPResponse)
        /// The server gets it; the process is killed before the answer.
        case stopped
    }

    /// Decides on each call, by its name, such as `POST /session/otp`, and by how many calls had this name before.
    typealias Weather = @Sendable (_ call: String, _ before: Int) -> Fate

    private let transport = URLSessionTransport()
    private let weather: Weather
    private let lock = NSLock()
    private var noted: [String] = []

    init(_ weather: @escaping Weather = { _, _ in .well }) {
        self.weather = weather
    }

    var availability: MobileNetworkAvailability { .yes }

    /// All calls but reads of the session.
    var calls: [String] { all.filter { !$0.hasPrefix("GET /session") } }

    var all: [String] {
        lock.lock()
        defer { lock.unlock() }
        return noted
    }

    func response(to request: HTTPRequest) async throws -> HTTPResponse {
        let (call, before) = note(request)
        switch weather(call, before) {
        case .well: return try await transport.response(to: request)
        case .lost: throw Failure("lost")
        case .answerLost:
            _ = try await transport.response(to: request)
            throw Failure("the answer is lost")
        case .answerCut:
            let whole = try await transport.response(to: request)
            return HTTPResponse(
                status: whole.status, headers: whole.headers, body: whole.body.prefix(whole.body.count / 2))
        case .doubled:
            let first = try await transport.response(to: request)
            _ = try await transport.response(to: request)
            return first
        case .answeredAgain:
            _ = try await transport.response(to: request)
            return try await transport.response(to: request)
        case .slow(let seconds):
            try await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
            return try await transport.response(to: request)
        case .answered(let response): return response
        case .stopped:
            _ = try await transport.response(to: request)
            await stop()
            throw CancellationError()
        }
    }

    private func note(_ request: HTTPRequest) -> (String, Int) {
        let path = request.url.path.replacingOccurrences(of: "/client/v1", with: "")
        let name = "\(request.method) \(path.hasPrefix("/ma/") ? "/ma" : path)"
        lock.lock()
        defer { lock.unlock() }
        let before = noted.count { $0 == name }
        noted.append(name)
        return (name, before)
    }
}
