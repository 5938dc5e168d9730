internal import HTTPServer
internal import SurfaceKit

/// A call of a developer or a test, without credentials.
protocol SandboxEndpoint: Endpoint where Caller == Nothing, Failure == SandboxError, Refusal == SandboxError {
    /// Checks a parameter whose form only the server knows, before the others are read.
    func check(_ request: Request) throws(SandboxError)
}

extension SandboxEndpoint {
    func check(_ request: Request) throws(SandboxError) {}

    /// The API description of the endpoint.
    static var operations: [Operation] {
        [
            operation(
                .sandbox, caller: nil, schema: body.schema(others: false),
                errors: common + call.body.defects.map { SandboxError($0) })
        ]
    }

    /// Errors that every call may return.
    private static var common: [SandboxError] {
        let ofBody = call.body.presence == .none ? nil : exampleDefect
        return (ofBody.map { [.field($0)] } ?? []) + [.overloaded, .internalFault("")]
    }
}
