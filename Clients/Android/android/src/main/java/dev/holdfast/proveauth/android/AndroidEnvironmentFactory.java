package dev.holdfast.proveauth.android;

import android.content.Context;
import dev.holdfast.proveauth.platform.Environment;
import dev.holdfast.proveauth.platform.EnvironmentFactory;

/** Found by {@code ProveAuth.Builder.withContext}. There is one environment for each process. */
public final class AndroidEnvironmentFactory implements EnvironmentFactory {
    private static AndroidEnvironment environment;

    @Override
    public Environment make(Object context) {
        return context instanceof Context ? environment((Context) context) : null;
    }

    private static synchronized Environment environment(Context context) {
        if (environment == null) {
            environment = new AndroidEnvironment(context.getApplicationContext());
            environment.watch();
        }
        return environment;
    }
}
