/// A member that no API client has, or a value that the member does not take.
package struct TenantMemberFault: Error, Equatable {
    package let name: String
    package let reason: String
}
