import Foundation

/// One call, as it goes out.
public struct HTTPRequest: Sendable {
    public let method: String
    public let url: URL
    public let headers: [String: String]
    public let body: Data?

    public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

public struct HTTPResponse: Sendable {
    public let status: Int
    public let headers: [String: String]
    public let body: Data

    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.key.lowercased() == name }?.value
    }
}

/// Sends calls. It follows no redirects, and keeps no cookies and no answers.
///
/// It throws when there is no answer, and when its task is cancelled.
public protocol HTTPTransport: Sendable {
    func response(to request: HTTPRequest) async throws -> HTTPResponse
}

/// Whether the device can reach the mobile network.
public enum MobileNetworkAvailability: String, Sendable {
    case yes, no, unknown
}

/// A transport that is bound to the mobile network, for Mobile Auth.
public protocol MobileNetworkTransport: HTTPTransport {
    var availability: MobileNetworkAvailability { get }
}

/// There is no mobile network any more.
public struct NoMobileNetwork: Error {
    public init() {}
}

extension HTTPResponse {
    /// `Retry-After` in seconds, at least 1. `nil` if it is no number of seconds.
    package var retryAfterSeconds: Double? {
        guard let text = header("Retry-After"), !text.isEmpty, text.utf8.count < 10,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Double(text).map { max(1, $0) }
    }

    /// `Date`, in seconds since 1970 (RFC 9110 section 5.6.7).
    var dateSeconds: Double? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return header("Date").flatMap(formatter.date(from:))?.timeIntervalSince1970
    }
}
