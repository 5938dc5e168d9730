/// What one surface gives to the API description.
package struct SurfaceDescription: Sendable {
    package let operations: [Operation]
    /// Schemas that its operations refer to by name.
    package let schemas: [(name: String, schema: Schema)]

    package init(_ operations: [Operation], schemas: [(name: String, schema: Schema)] = []) {
        self.operations = operations
        self.schemas = schemas
    }
}
