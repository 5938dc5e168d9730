// GitHub's Markdown as HTML: md4c 0.4.8, unchanged, behind one function.
#ifndef CMARKDOWN_H
#define CMARKDOWN_H

#include <stddef.h>

// Converts UTF-8 Markdown to HTML of `*html_count` bytes. The caller frees it with free(). NULL: out of memory. Raw
// HTML in the text is escaped.
char *cmarkdown_html(const char *text, size_t count, size_t *html_count);

#endif
