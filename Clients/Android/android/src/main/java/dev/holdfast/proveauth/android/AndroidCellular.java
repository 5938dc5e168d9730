package dev.holdfast.proveauth.android;

import android.content.Context;
import android.content.pm.PackageManager;
import android.net.ConnectivityManager;
import android.net.Network;
import android.net.NetworkCapabilities;
import android.net.NetworkRequest;
import android.telephony.TelephonyManager;
import dev.holdfast.proveauth.platform.CellularNetwork;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The mobile network, also while the phone is on Wi-Fi. It needs the permission CHANGE_NETWORK_STATE, which asks nobody. */
final class AndroidCellular implements CellularNetwork {
    /** A modem that slept needs one or two seconds. */
    private static final long UP_MILLISECONDS = 5_000;

    private final ConnectivityManager connectivity;
    private final TelephonyManager telephony;
    private final boolean hasModem;
    /** Null: it is not asked for. */
    private Ask ask;

    AndroidCellular(Context context) {
        connectivity = (ConnectivityManager) context.getSystemService(Context.CONNECTIVITY_SERVICE);
        telephony = (TelephonyManager) context.getSystemService(Context.TELEPHONY_SERVICE);
        hasModem = context.getPackageManager().hasSystemFeature(PackageManager.FEATURE_TELEPHONY);
    }

    @Override
    public boolean isPresent() {
        return hasModem && telephony.getSimState() == TelephonyManager.SIM_STATE_READY;
    }

    @Override
    public HttpURLConnection open(URL url) throws IOException {
        Network network = ask().await();
        if (network == null) {
            throw new NoCellularException();
        }
        return (HttpURLConnection) network.openConnection(url);
    }

    @Override
    public void release() {
        Ask asked;
        synchronized (this) {
            asked = ask;
            ask = null;
        }
        if (asked != null) {
            connectivity.unregisterNetworkCallback(asked);
        }
    }

    private synchronized Ask ask() throws NoCellularException {
        if (ask == null) {
            // Unless told otherwise, a request is for a network that is no VPN.
            NetworkRequest request = new NetworkRequest.Builder()
                    .addTransportType(NetworkCapabilities.TRANSPORT_CELLULAR)
                    .addCapability(NetworkCapabilities.NET_CAPABILITY_INTERNET)
                    .build();
            Ask asked = new Ask();
            try {
                connectivity.requestNetwork(request, asked);
            } catch (RuntimeException refused) {
                // No permission, or too many requests of this app.
                throw new NoCellularException();
            }
            ask = asked;
        }
        return ask;
    }

    /** Waits for the network to come up. */
    private static final class Ask extends ConnectivityManager.NetworkCallback {
        private final CountDownLatch isUp = new CountDownLatch(1);
        private volatile Network network;

        @Override
        public void onAvailable(Network available) {
            network = available;
            isUp.countDown();
        }

        @Override
        public void onLost(Network lost) {
            network = null;
        }

        /** Null: it has not come up in time, or has gone. */
        Network await() throws InterruptedIOException {
            try {
                isUp.await(UP_MILLISECONDS, TimeUnit.MILLISECONDS);
                return network;
            } catch (InterruptedException cause) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException();
            }
        }
    }
}
