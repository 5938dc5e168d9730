/// One step of a request's way, ready to be run again and again by the micro-benchmarks and under callgrind.
package struct Case: Sendable {
    package let name: String
    /// Builds what the step needs, and returns the step.
    package let prepare: @Sendable () throws -> () -> Void
}

extension Case {
    package static let all: [Case] = [
        .parser, .router, .jsonIn, .jsonOut, .tokenSign, .tokenVerifyFirst, .tokenVerifyAgain,
    ]

    /// A body as the backends send it.
    static let body = #"{"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"r-0000000001"}"#
}

/// Keeps the optimizer from leaving out what nobody looks at.
@inline(never)
package func keep<Value>(_ value: Value) {}
