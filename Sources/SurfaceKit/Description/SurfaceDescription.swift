internal import HTTPServer

/// The part of one surface in the API description.
package struct SurfaceDescription: Sendable {
    package let operations: [Operation]
    /// Schemas that its operations refer to by their name alone.
    package let schemas: [(name: String, schema: Schema)]
    package let webhooks: [Webhook]

    package init(
        _ operations: [Operation], schemas: [(name: String, schema: Schema)] = [], webhooks: [Webhook] = []
    ) {
        self.operations = operations
        self.schemas = schemas
        self.webhooks = webhooks
    }

    /// Without what no program calls by itself: other paths of the same call, and what browsers ask before a call.
    package var forClients: SurfaceDescription {
        SurfaceDescription(
            operations.filter { $0.original == nil && $0.method != .options }, schemas: schemas, webhooks: webhooks)
    }
}
