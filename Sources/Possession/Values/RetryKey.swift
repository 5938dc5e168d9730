/// Identifies retries of one call: session (from the update), path and the body's `requestId` (API-11).
package struct RetryKey: Sendable, Equatable {
    package let path: String
    package let requestID: String
    package let body: BodyDigest

    package init(path: String, requestID: String, body: BodyDigest) {
        self.path = path
        self.requestID = requestID
        self.body = body
    }
}
