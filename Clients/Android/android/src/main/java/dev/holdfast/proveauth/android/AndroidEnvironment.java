package dev.holdfast.proveauth.android;

import android.app.Activity;
import android.app.Application;
import android.content.Context;
import android.net.ConnectivityManager;
import android.net.Network;
import android.os.Bundle;
import android.os.SystemClock;
import dev.holdfast.proveauth.platform.JavaEnvironment;

/** The environment of an Android app: keys in the Keystore, the mobile network, and a clock that goes on in sleep. */
final class AndroidEnvironment extends JavaEnvironment {
    private final Context context;

    AndroidEnvironment(Context applicationContext) {
        super(new KeystoreKeys(applicationContext), new AndroidCellular(applicationContext));
        context = applicationContext;
    }

    @Override
    public long elapsed() {
        return SystemClock.elapsedRealtime();
    }

    /** Wakes runs when a network comes, and when the app is opened again. */
    void watch() {
        ConnectivityManager connectivity = (ConnectivityManager) context.getSystemService(Context.CONNECTIVITY_SERVICE);
        try {
            connectivity.registerDefaultNetworkCallback(new ConnectivityManager.NetworkCallback() {
                @Override
                public void onAvailable(Network network) {
                    wake();
                }
            });
        } catch (RuntimeException refused) {
            // Too many callbacks in this app, or no permission: runs wake by their own timers.
        }
        if (context instanceof Application) {
            ((Application) context).registerActivityLifecycleCallbacks(new Resumed());
        }
    }

    private final class Resumed implements Application.ActivityLifecycleCallbacks {
        @Override
        public void onActivityResumed(Activity activity) {
            wake();
        }

        @Override
        public void onActivityCreated(Activity activity, Bundle savedState) {}

        @Override
        public void onActivityStarted(Activity activity) {}

        @Override
        public void onActivityPaused(Activity activity) {}

        @Override
        public void onActivityStopped(Activity activity) {}

        @Override
        public void onActivitySaveInstanceState(Activity activity, Bundle state) {}

        @Override
        public void onActivityDestroyed(Activity activity) {}
    }
}
