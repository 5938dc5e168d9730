package app;

// GUIDE java/otp-start-no-prompt
