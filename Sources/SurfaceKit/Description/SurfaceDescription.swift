internal import HTTPServer

/// The description of one surface.
package struct SurfaceDescription: Sendable {
    package let operations: [Operation]
    /// Schemas that its operations refer to only by name.
    package let schemas: [(name: String, schema: Schema)]
    package let webhooks: [Webhook]

    package init(
        _ operations: [Operation], schemas: [(name: String, schema: Schema)] = [], webhooks: [Webhook] = []
    ) {
        self.operations = operations
        self.schemas = schemas
        self.webhooks = webhooks
    }

    /// Without operations that programs do not call themselves: other paths of the same call, and browsers' preflights.
    package var forClients: SurfaceDescription {
        SurfaceDescription(
            operations.filter { $0.original == nil && $0.method != .options }, schemas: schemas, webhooks: webhooks)
    }
}
