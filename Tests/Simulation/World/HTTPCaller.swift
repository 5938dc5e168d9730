internal import Machine
internal import StrictJSON

/// Result of a call.
enum Answer {
    case came(Reply)
    /// Nobody listens.
    case refused
    /// The connection ended before the answer.
    case lost
    /// The caller has given up.
    case late

    var reply: Reply? { if case .came(let reply) = self { reply } else { nil } }
    var status: Int? { reply?.status }

    var word: String {
        switch self {
        case .came(let reply): "\(reply.status)"
        case .refused: "refused"
        case .lost: "lost"
        case .late: "late"
        }
    }
}

struct Reply {
    let status: Int
    /// Where a browser is sent.
    let location: String?
    let body: [UInt8]

    /// Parsed when somebody asks: most are not.
    var json: JSONObject { (try? JSONObject.parse(body)) ?? JSONObject() }
    var error: String? { json["error"]?.string }
    /// Every channel of the carrier refuses the number.
    var isOfCarrier: Bool { json["description"]?.string?.hasPrefix("the message could not be sent") == true }
    /// The state document of a client's call, in whatever answer it came.
    var state: JSONObject? { json["rev"] != nil ? json : json["state"]?.object }
}

/// A caller with a connection of its own: one call at a time.
final class HTTPCaller {
    enum Place {
        case port(UInt16)
        case local(String)
    }

    private let place: Place
    private let address: UInt8
    /// Header fields of every call.
    var fields: [(name: String, value: String)] = []
    private var socket: Int32 = -1
    private var input: [UInt8] = []

    init(_ place: Place = .port(World.port), address: UInt8 = 1) {
        self.place = place
        self.address = address
    }

    deinit { hangUp() }

    func hangUp() {
        if socket >= 0 { machine_close(socket) }
        socket = -1
        input = []
    }

    /// - Parameter patience: milliseconds until the caller gives up, and closes its connection.
    func call(
        _ method: String, _ path: String, _ body: JSONObject? = nil, bearer: String? = nil, name: String? = nil,
        patience: Int = 10_000
    ) -> Answer {
        let type = body == nil ? nil : "application/json"
        return call(
            method, path, body?.serialized() ?? [], type: type, bearer.map { "Bearer \($0)" }, name: name, patience)
    }

    /// - Parameter name: of the call, by which the server knows it when it comes again.
    func call(
        _ method: String, _ path: String, _ body: [UInt8], type: String?, _ authorization: String?,
        name: String? = nil, _ patience: Int
    ) -> Answer {
        let deadline = Sim.now + UInt64(patience) * 1_000_000
        let isFresh = socket < 0
        if isFresh { socket = connect() }
        guard socket >= 0 else { return .refused }
        let request = request(method, path, body, type: type, authorization, name: name)
        guard machine_send(socket, request, request.count) == request.count else {
            hangUp()
            // A connection that was left open may have ended meanwhile, and nothing of this call has left.
            return isFresh ? .lost : call(method, path, body, type: type, authorization, name: name, patience)
        }
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let reply = takeReply() { return .came(reply) }
            guard machine_wait_readable(socket, deadline) else {
                hangUp()
                return .late
            }
            let count = machine_receive(socket, &chunk, chunk.count)
            if count == -1 { continue }
            guard count > 0 else {
                hangUp()
                return .lost
            }
            input += chunk[..<count]
        }
    }

    /// Sends and does not wait. `false`: it did not leave.
    func send(_ method: String, _ path: String, _ body: [UInt8], type: String?, _ authorization: String?) -> Bool {
        if socket < 0 { socket = connect() }
        guard socket >= 0 else { return false }
        let request = request(method, path, body, type: type, authorization)
        return machine_send(socket, request, request.count) == request.count
    }

    /// Answer to `send`, if it has come; `.late`: nothing yet.
    func poll() -> Answer {
        guard socket >= 0 else { return .lost }
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = machine_receive(socket, &chunk, chunk.count)
        if count == -1 { return .late }
        guard count > 0 else {
            hangUp()
            return .lost
        }
        input += chunk[..<count]
        return takeReply().map { .came($0) } ?? .late
    }

    private func connect() -> Int32 {
        switch place {
        case .port(let port): machine_connect(port, address)
        case .local(let path): machine_connect_local(path)
        }
    }

    private func request(
        _ method: String, _ path: String, _ body: [UInt8], type: String?, _ authorization: String?,
        name: String? = nil
    ) -> [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(World.port)\r\n"
        if let authorization { head += "Authorization: \(authorization)\r\n" }
        if let name { head += "Idempotency-Key: \(name)\r\n" }
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if let type { head += "Content-Type: \(type)\r\n" }
        if method != "GET" { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }

    /// The answers have a length, as those of every call here do.
    private func takeReply() -> Reply? {
        guard let end = input.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var length = 0
        var closes = false
        var location: String?
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = parts[1].drop { $0 == " " }
            switch parts[0].lowercased() {
            case "content-length": length = Int(value) ?? 0
            case "connection": closes = value == "close"
            case "location": location = String(value)
            default: break
            }
        }
        let rest = input.count - end.upperBound
        guard rest >= length else { return nil }
        let body = Array(input[end.upperBound..<end.upperBound + length])
        input.removeFirst(end.upperBound + length)
        if closes { hangUp() }
        return Reply(status: status, location: location, body: body)
    }
}

extension Array where Element == UInt8 {
    fileprivate func firstRange(of other: [UInt8]) -> Range<Int>? {
        guard count >= other.count else { return nil }
        for start in 0...(count - other.count) where self[start] == other[0] {
            if Array(self[start..<start + other.count]) == other { return start..<start + other.count }
        }
        return nil
    }
}
