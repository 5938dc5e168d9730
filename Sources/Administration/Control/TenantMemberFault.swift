/// A member that an API client does not have, or has not with this value.
package struct TenantMemberFault: Error, Equatable {
    package let name: String
    package let reason: String
}
