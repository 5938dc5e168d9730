internal import HTTPServer
internal import Engine
internal import Possession
internal import Text

/// The signatures of Standard Webhooks 1.0.0 on a request: `v1`, HMAC-SHA-256 over `<id>.<seconds>.<body>`.
struct HookSignatures: Sendable {
    /// The signed message, and its codes: one for each of the sender's secrets.
    struct Signed: Sendable {
        let message: [UInt8]
        let codes: [SecretDigest]
    }

    /// HMAC-SHA-256, 32 bytes.
    let mac: @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]
    /// The machine's clock, because the sender also uses its machine's clock.
    let systemNow: Now

    /// The largest difference between the two clocks, as in the libraries of Standard Webhooks.
    private static let toleranceSeconds: Int64 = 300
    private static let maxIDBytes = 256
    /// The length of a code of HMAC-SHA-256.
    private static let codeBytes = 32
    /// Only this many codes are checked. A server that is changing its secret sends two.
    private static let maxCodes = 4

    /// - Throws: `.unauthorized`: the request has no signature with a current time.
    func signed(_ request: Request) throws(HookError) -> Signed {
        let head = try head(of: request)
        let dot = [UInt8(ascii: ".")]
        return Signed(message: Array(head.id) + dot + Array(head.time) + dot + request.body, codes: head.codes)
    }

    /// Checks the head before the server reads the body: id and time are there, the time is current, and a code has the length
    /// of a signature.
    /// - Throws: `.unauthorized`.
    func checkHead(_ request: Request) throws(HookError) { _ = try head(of: request) }

    private typealias Head = (id: ArraySlice<UInt8>, time: ArraySlice<UInt8>, codes: [SecretDigest])

    private func head(of request: Request) throws(HookError) -> Head {
        let headers = request.headers
        guard ["webhook-id", "webhook-timestamp", "webhook-signature"].allSatisfy({ headers.count($0) == 1 }),
            let id = headers.bytes("webhook-id"), let time = headers.bytes("webhook-timestamp"),
            let value = headers.bytes("webhook-signature"), (1...Self.maxIDBytes).contains(id.count),
            (1...12).contains(time.count), let seconds = Self.seconds(time),
            abs(systemNow().seconds - seconds) <= Self.toleranceSeconds
        else { throw .unauthorized }
        let codes = Self.codes(in: value).filter { $0.bytes.count == Self.codeBytes }
        guard !codes.isEmpty else { throw .unauthorized }
        return (id, time, codes)
    }

    /// Checks every code, so that the time taken does not show which one matches.
    func holds(_ signed: Signed, by secret: HookSecret) -> Bool {
        let right = secret.keys.map { SecretDigest(mac($0, signed.message)) }
        return signed.codes.reduce(false) { holds, code in right.reduce(holds) { code.matches($1) || $0 } }
    }

    private static func seconds(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
    }

    /// `v1,<base64>` each, separated by blanks. Supabase Auth puts a comma before the blank.
    private static func codes(in value: ArraySlice<UInt8>) -> [SecretDigest] {
        value.split(separator: UInt8(ascii: " "), maxSplits: maxCodes).prefix(maxCodes).compactMap { word in
            let word = word.last == UInt8(ascii: ",") ? word.dropLast() : word
            guard word.starts(with: "v1,".utf8) else { return nil }
            return Base64.decode(word.dropFirst(3)).map { SecretDigest($0) }
        }
    }
}
