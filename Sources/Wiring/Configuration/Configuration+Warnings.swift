internal import Text

extension Configuration {
    /// What is allowed and probably not meant: for `check-config` and for the log of the start. Each names the setting
    /// and what to do.
    package var warnings: [String] {
        var warnings: [String] = []
        if mode == .sandbox, !server.isLoopback {
            warnings.append(
                "server.host: the sandbox surface asks for no credentials and can be reached from other machines")
        }
        if mode == .live, !server.isLoopback, server.trustedProxies.isEmpty, server.tls == nil {
            warnings.append(
                "server.host: other machines reach this server without TLS: set server.tlsCertificateFile and "
                    + "server.tlsKeyFile, or listen on loopback or a private address behind a proxy that ends TLS, and "
                    + "name the proxy in server.trustedProxies")
        }
        if let operations = server.operations, IPAddress(operations.host)?.isLoopback != true {
            warnings.append(
                "server.operationsHost: metrics and docs can be reached from other machines and ask for no credentials")
        }
        if server.drainNoticeSeconds + server.drainSeconds > 9 {
            warnings.append(
                "server.drainNoticeSeconds and server.drainSeconds: together over 9 seconds: a container engine kills "
                    + "after 10 unless it is told otherwise")
        }
        return warnings
    }
}
