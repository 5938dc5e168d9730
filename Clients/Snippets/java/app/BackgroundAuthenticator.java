package app;

import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.ProveAuthException;
import app.MyBackendClient.AuthStartResponse;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The second form of the guide's method, in a class with the fields of its first. */
public class BackgroundAuthenticator {
    private final MyBackendClient backend = new MyBackendClient();
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final ProveAuth proveAuth;

    public BackgroundAuthenticator(ProveAuth proveAuth) {
        this.proveAuth = proveAuth;
    }

    // GUIDE java/authenticate-in-background

    /** Waits for what is under way. */
    public boolean end() throws InterruptedException {
        executor.shutdown();
        return executor.awaitTermination(20, TimeUnit.SECONDS);
    }
}
