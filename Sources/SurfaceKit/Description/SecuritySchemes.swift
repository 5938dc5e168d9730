package import StrictJSON

/// How callers say who they are.
package struct SecuritySchemes: Sendable {
    package let operations: [Operation]
    package let publicURL: String

    /// Those that an operation asks for.
    package var object: JSONObject {
        var object = JSONObject()
        for caller in operations.compactMap(\.caller) where object[caller.name] == nil {
            object.set(caller.name, caller.object(publicURL: publicURL))
        }
        return object
    }
}
