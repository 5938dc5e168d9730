import Foundation

/// Why a step is run again, or why a run failed. It has no number and no token in it.
public struct PossessionError: LocalizedError, Sendable, CustomStringConvertible {
    public let name: ErrorName
    /// For the person; the app may have replaced it.
    public let message: String
    /// After which to come back, where a limit was hit.
    public let retryAfterSeconds: Double?
    /// Reason that the app's own step gave, or reason why there is no key.
    public let cause: (any Error)?
    /// Facts of this case for the developer.
    private let detail: String?

    package init(
        _ name: ErrorName, messages: [ErrorName: String] = [:], retryAfterSeconds: Double? = nil,
        cause: (any Error)? = nil, detail: String? = nil
    ) {
        self.name = name
        message = messages[name] ?? name.message
        self.retryAfterSeconds = retryAfterSeconds
        self.cause = cause
        self.detail = detail
    }

    public var code: Int { name.code }
    public var developerMessage: String { name.developerMessage + (detail.map { " \($0)" } ?? "") }
    public var errorDescription: String? { message }
    public var description: String { "\(name.rawValue) (\(code)): \(developerMessage)" }
}

extension ErrorName {
    /// The error that an answer stands for. One with a strange name is taken by its status.
    init(status: Int, name: String?) {
        if let name, let known = ErrorName(rawValue: name) {
            self = known
        } else if status == 429 {
            self = .rateLimited
        } else {
            self = status >= 500 ? .internal : .invalidRequest
        }
    }

    /// Errors that the number can be the reason of: they lead back to the start step.
    var isOfNumber: Bool {
        switch self {
        case .phoneNumberRequired, .phoneNumberInvalid, .phoneNumberNotAllowed: true
        default: false
        }
    }

    /// Errors that end a run without a cancel: no server, no valid token, a mistake in the app or in this library.
    var isBreaking: Bool {
        switch self {
        case .invalidRequest, .invalidToken, .invalidDPoPProof, .tokenAlreadyUsed, .originNotAllowed, .invalidState,
            .requestIDReused, .rateLimited, .internal, .network, .keyUnavailable, .tokenMissing, .tokenMalformed,
            .serverNotExpected:
            true
        default: false
        }
    }
}
