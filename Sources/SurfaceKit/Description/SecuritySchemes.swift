package import StrictJSON

/// How callers authenticate.
package struct SecuritySchemes: Sendable {
    package let operations: [Operation]
    package let publicURL: String

    /// The schemes that the operations use.
    package var object: JSONObject {
        var object = JSONObject()
        for caller in operations.compactMap(\.caller) where object[caller.name] == nil {
            object.set(caller.name, caller.object(publicURL: publicURL))
        }
        return object
    }
}
