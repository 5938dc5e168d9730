#include "CWebFiles.h"

// The directive is of C23; Swift's clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char sdk_holdfast_js[] = {
#embed "sdk/holdfast.js"
};
static const unsigned char sdk_holdfast_js_gz[] = {
#embed "sdk/holdfast.js.gz"
};
static const unsigned char sdk_holdfast_global_js[] = {
#embed "sdk/holdfast.global.js"
};
static const unsigned char sdk_holdfast_global_js_gz[] = {
#embed "sdk/holdfast.global.js.gz"
};
static const unsigned char sdk_holdfast_d_ts[] = {
#embed "sdk/holdfast.d.ts"
};
static const unsigned char sdk_holdfast_d_ts_gz[] = {
#embed "sdk/holdfast.d.ts.gz"
};
static const unsigned char demo_backend_js[] = {
#embed "demo/backend.js"
};
static const unsigned char demo_choice_js[] = {
#embed "demo/choice.js"
};
static const unsigned char demo_code_js[] = {
#embed "demo/code.js"
};
static const unsigned char demo_demo_css[] = {
#embed "demo/demo.css"
};
static const unsigned char demo_demo_html[] = {
#embed "demo/demo.html"
};
static const unsigned char demo_demo_js[] = {
#embed "demo/demo.js"
};
static const unsigned char demo_dom_js[] = {
#embed "demo/dom.js"
};
static const unsigned char demo_events_js[] = {
#embed "demo/events.js"
};
static const unsigned char demo_journal_js[] = {
#embed "demo/journal.js"
};
static const unsigned char demo_phone_js[] = {
#embed "demo/phone.js"
};
static const unsigned char demo_recorder_js[] = {
#embed "demo/recorder.js"
};
static const unsigned char demo_run_js[] = {
#embed "demo/run.js"
};
static const unsigned char demo_shop_js[] = {
#embed "demo/shop.js"
};
static const unsigned char demo_snippets_js[] = {
#embed "demo/snippets.js"
};

static const cwebfiles_file files[] = {
    {"sdk/holdfast.js", sdk_holdfast_js, sizeof sdk_holdfast_js,
     sdk_holdfast_js_gz, sizeof sdk_holdfast_js_gz},
    {"sdk/holdfast.global.js", sdk_holdfast_global_js, sizeof sdk_holdfast_global_js,
     sdk_holdfast_global_js_gz, sizeof sdk_holdfast_global_js_gz},
    {"sdk/holdfast.d.ts", sdk_holdfast_d_ts, sizeof sdk_holdfast_d_ts,
     sdk_holdfast_d_ts_gz, sizeof sdk_holdfast_d_ts_gz},
    {"demo/backend.js", demo_backend_js, sizeof demo_backend_js, NULL, 0},
    {"demo/choice.js", demo_choice_js, sizeof demo_choice_js, NULL, 0},
    {"demo/code.js", demo_code_js, sizeof demo_code_js, NULL, 0},
    {"demo/demo.css", demo_demo_css, sizeof demo_demo_css, NULL, 0},
    {"demo/demo.html", demo_demo_html, sizeof demo_demo_html, NULL, 0},
    {"demo/demo.js", demo_demo_js, sizeof demo_demo_js, NULL, 0},
    {"demo/dom.js", demo_dom_js, sizeof demo_dom_js, NULL, 0},
    {"demo/events.js", demo_events_js, sizeof demo_events_js, NULL, 0},
    {"demo/journal.js", demo_journal_js, sizeof demo_journal_js, NULL, 0},
    {"demo/phone.js", demo_phone_js, sizeof demo_phone_js, NULL, 0},
    {"demo/recorder.js", demo_recorder_js, sizeof demo_recorder_js, NULL, 0},
    {"demo/run.js", demo_run_js, sizeof demo_run_js, NULL, 0},
    {"demo/shop.js", demo_shop_js, sizeof demo_shop_js, NULL, 0},
    {"demo/snippets.js", demo_snippets_js, sizeof demo_snippets_js, NULL, 0},
};

const cwebfiles_file *cwebfiles_at(int index) {
    return index >= 0 && index < (int)(sizeof files / sizeof files[0]) ? &files[index] : NULL;
}
