// GitHub's Markdown as HTML: md4c 0.4.8, unchanged, behind one function.
#ifndef CMARKDOWN_H
#define CMARKDOWN_H

#include <stddef.h>

// The HTML of a text in UTF-8, of `*html_count` bytes. The caller frees it with free(). NULL: there is no memory. Raw HTML in
// the text is written as text.
char *cmarkdown_html(const char *text, size_t count, size_t *html_count);

#endif
