package app;

import static app.App.otpFinishStep;
import static app.App.otpStartStep;

import android.content.Context;
import dev.holdfast.proveauth.AuthFinishStep;
import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.ProveAuthException;
import java.io.IOException;
import app.MyBackendClient.AuthFinishResponse;
import app.MyBackendClient.AuthStartResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

// GUIDE java/my-authenticator
