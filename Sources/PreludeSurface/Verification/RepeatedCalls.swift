internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Recognises repeated calls. A backend may send `Idempotency-Key`. Prelude's SDKs send no key, but they count their
/// retries and send the same body again.
enum RepeatedCalls {
    private static let name = "Idempotency-Key"
    private static let lengths = 1...255
    private static let defect = FieldDefect(name, "must be one field of 1 to 255 visible ASCII characters")

    static func parameter<Body>() -> ParameterMember<Body, PreludeError> {
        .header(
            name, .text(least: 1, most: 255), "Names the call: with the same body it is carried out once for a number.")
    }

    /// - Parameter path: the path of the call.
    /// - Returns: `nil`: the call has no key and no retry count.
    /// - Throws: `.field`.
    static func retry(
        of request: Request, path: String, _ keyed: KeyedDigests
    ) throws(PreludeError) -> Retry? {
        if let name = try name(of: request) {
            let body = keyed.body(request.body)
            let digest = keyed.text(keyed.body(name).bytes)
            return Retry(RetryKey(path: path, requestID: "named " + digest, body: body))
        }
        guard let isRepeated = isRepeatedBySDK(request) else { return nil }
        let body = keyed.body(request.body)
        let key = RetryKey(path: path, requestID: "sdk " + keyed.text(body.bytes), body: body)
        return Retry(key, isRepeated ? .repeated : .first)
    }

    private static func name(of request: Request) throws(PreludeError) -> [UInt8]? {
        let names = request.headers.allBytes(name)
        guard let first = names.first else { return nil }
        guard names.count == 1, lengths.contains(first.count), first.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .field(defect)
        }
        return Array(first)
    }

    /// `nil`: no SDK sent the call.
    private static func isRepeatedBySDK(_ request: Request) -> Bool? {
        let counts = request.headers.allBytes("x-stainless-retry-count")
        guard counts.count == 1, let count = counts.first, (1...3).contains(count.count),
            count.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return count.contains { $0 > 48 }
    }
}
