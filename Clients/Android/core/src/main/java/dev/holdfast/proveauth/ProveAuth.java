package dev.holdfast.proveauth;

import dev.holdfast.proveauth.platform.Environment;
import dev.holdfast.proveauth.platform.EnvironmentFactory;
import dev.holdfast.proveauth.platform.JavaEnvironment;
import dev.holdfast.proveauth.platform.MemoryKeys;
import dev.holdfast.proveauth.run.Run;
import dev.holdfast.proveauth.run.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Proves that the person holds the phone number of a session.
 *
 * <p>It may be kept for the life of the app, and used from any thread.
 */
public final class ProveAuth {
    private final Environment environment;
    private final Settings settings;
    private final Map<String, Going> runs = new HashMap<>();

    private ProveAuth(Environment environment, Settings settings) {
        this.environment = environment;
        this.settings = settings;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Runs the checks of one session, and comes back when the finish step has run. It blocks: do not call it on the main thread. With
     * the same token, a run that is under way is joined, and one that broke is taken up.
     *
     * <p>A thread that is interrupted leaves the session as it is.
     *
     * @throws ProveAuthException when the run was given up or could not go on
     */
    public void authenticate(String authToken) throws ProveAuthException {
        Going going;
        boolean isFirst;
        synchronized (runs) {
            going = runs.get(authToken);
            isFirst = going == null;
            if (isFirst) {
                going = new Going(new Run(environment, settings, authToken));
                runs.put(authToken, going);
            }
        }
        if (isFirst) {
            try {
                going.run();
            } finally {
                synchronized (runs) {
                    runs.remove(authToken);
                }
            }
        }
        join(going);
    }

    /** Gives up all runs that are under way; each {@code authenticate} ends with {@code CANCELLED}. */
    public void cancel() {
        for (Going going : goings()) {
            going.run.cancel();
        }
    }

    /**
     * Takes the URL by which an instant link has opened the app.
     *
     * @throws ProveAuthException if it is not of a run that is under way; runs go on
     */
    public void finishInstantLink(String redirectUrl) throws ProveAuthException {
        for (Going going : goings()) {
            if (going.run.open(redirectUrl)) {
                return;
            }
        }
        ProveAuthError error = ProveAuthError.INVALID_REQUEST;
        throw ProveAuthException.of(error, error.getMessage(), 0, null);
    }

    private List<Going> goings() {
        synchronized (runs) {
            return new ArrayList<>(runs.values());
        }
    }

    private static void join(Going going) {
        try {
            going.get();
        } catch (InterruptedException cause) {
            Thread.currentThread().interrupt();
            ProveAuthError error = ProveAuthError.CANCELLED;
            throw ProveAuthException.of(error, error.getMessage(), 0, cause);
        } catch (ExecutionException failure) {
            Throwable cause = failure.getCause();
            if (cause instanceof Error) {
                throw (Error) cause;
            }
            throw (RuntimeException) cause;
        }
    }

    private static final class Going extends FutureTask<Void> {
        final Run run;

        Going(Run run) {
            super(run::go, null);
            this.run = run;
        }
    }

    /** Collects the steps of the app. Every {@code with} changes this builder and gives it back. */
    public static final class Builder {
        private final Settings settings = new Settings();
        private Environment environment;

        private Builder() {}

        /** What is run once when the session is over, however it went. */
        public Builder withAuthFinishStep(AuthFinishStep finishStep) {
            settings.finish = finishStep;
            return this;
        }

        public Builder withOtpFallback(OtpStartStep startStep, OtpFinishStep finishStep) {
            settings.otpStart = startStep;
            settings.otpFinish = finishStep;
            return this;
        }

        public Builder withInstantLinkFallback(InstantLinkStartStep startStep) {
            return withInstantLinkFallback(startStep, null);
        }

        /** @param retryStep null: the person is not offered another message */
        public Builder withInstantLinkFallback(InstantLinkStartStep startStep, InstantLinkRetryStep retryStep) {
            settings.linkStart = startStep;
            settings.linkRetry = retryStep;
            return this;
        }

        /** Mobile Auth over Wi-Fi, by a token of the phone's operator. */
        public Builder withOperatorToken(OperatorTokenStep step) {
            settings.operatorToken = step;
            return this;
        }

        /** {@code secondary}: a device that waits for the phone, such as a tablet; {@code primary}: the phone itself. */
        public Builder withRole(String role) {
            settings.isSecondary = "secondary".equals(role);
            return this;
        }

        /**
         * The app's {@code android.content.Context}; on another platform, its own. Without a context, or with one that nobody knows, keys
         * end with the process and there is no Mobile Auth.
         */
        public Builder withContext(Object context) {
            for (EnvironmentFactory factory : ServiceLoader.load(EnvironmentFactory.class, ProveAuth.class.getClassLoader())) {
                Environment made = factory.make(context);
                if (made != null) {
                    environment = made;
                }
            }
            return this;
        }

        /** For platforms and tests that bring an environment of their own. */
        public Builder withEnvironment(Environment other) {
            environment = other;
            return this;
        }

        /** Sandbox: Mobile Auth without a mobile network. */
        public Builder withTestMode(boolean testMode) {
            settings.isTestMode = testMode;
            return this;
        }

        /** Whether a key of this device may stand in for a code at later visits; so unless told otherwise. */
        public Builder withDeviceKey(boolean isUsed) {
            settings.usesDeviceKey = isUsed;
            return this;
        }

        /** The hash by which Android hands messages to the app (11 characters), registered with the API client. */
        public Builder withAppHash(String appHash) {
            settings.appHash = appHash;
            return this;
        }

        /** The servers that a token may name. Without any, each https server is taken. */
        public Builder withServers(String... servers) {
            settings.servers = Collections.unmodifiableList(new ArrayList<>(Arrays.asList(servers)));
            return this;
        }

        /** Sentences for the person in another language, by the error's name. */
        public Builder withMessages(Map<String, String> messages) {
            settings.messages = Collections.unmodifiableMap(new HashMap<>(messages));
            return this;
        }

        public ProveAuth build() {
            Environment used = environment == null ? new JavaEnvironment(new MemoryKeys(), null) : environment;
            return new ProveAuth(used, settings.copy());
        }
    }
}
