/// The schemas that errors of every surface share.
package enum SharedSchemas {
    package static let code = Schema.integer(1...99_999)
    package static let stableCode = must("code", code, "The kind of error; stable.")
    package static let message = must("message", .text(), "For developers: names the field and the reason.")

    package static let error = (name: ErrorShape.coded.name, schema: Schema.record([stableCode, message]))
}
