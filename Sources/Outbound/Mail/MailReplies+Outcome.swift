internal import CCurl

extension MailReplies {
    /// The caller's result when libcurl has finished: the server's last reply, or why there is none.
    /// - Parameter fault: why libcurl was told to stop, if it was.
    func outcome(_ result: CURLcode, _ fault: OutboundFault?) -> Result<OutboundResponse, OutboundFault> {
        if let fault { return .failure(fault) }
        switch result {
        case CURLE_OK: return .success(OutboundResponse(status: 250))
        // Also if the server offers no login.
        case CURLE_LOGIN_DENIED: return .success(refused(at: .login))
        case CURLE_USE_SSL_FAILED: return .failure(.tls)
        default:
            if status >= 400 { return .success(refused(at: step)) }
            return .failure(OutboundFault(result) ?? .broken)
        }
    }

    private func refused(at step: MailStep) -> OutboundResponse {
        var response = OutboundResponse(status: status >= 400 ? status : 535)
        response.step = step
        return response
    }
}
