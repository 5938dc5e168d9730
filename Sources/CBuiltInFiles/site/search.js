// The search, in a worker: fetches the index once, builds it with lunr, and answers queries.
//
// To it:   { lunr, index }, then { id, query }. From it: { id, found: [{ address, title, excerpt }] }.
"use strict";

let ready;

async function load({ lunr: library, index }) {
  importScripts(library);
  const answer = await fetch(index);
  if (!answer.ok) throw new Error(`search index: ${answer.status}`);
  const entries = await answer.json();
  const built = lunr(function () {
    // Words stay whole: the queries below look for their beginnings.
    this.pipeline.remove(lunr.stemmer);
    this.searchPipeline.reset();
    this.ref("id");
    this.field("title", { boost: 8 });
    this.field("text");
    entries.forEach(([, title, text], id) => this.add({ id, title, text }));
  });
  return { entries, built };
}

function words(query) {
  return query.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean).slice(0, 8);
}

function stem(word) {
  return lunr.stemmer(new lunr.Token(word)).toString();
}

// Each word whole, as the beginning of a word, by its stem, or with one or two wrong letters.
function found({ entries, built }, query) {
  const terms = words(query);
  if (!terms.length) return [];
  const results = built.query((q) => {
    for (const term of terms) {
      q.term(term, { boost: 20 });
      q.term(term, { boost: 6, wildcard: lunr.Query.wildcard.TRAILING });
      if (stem(term) !== term) q.term(stem(term), { boost: 3, wildcard: lunr.Query.wildcard.TRAILING });
      if (term.length > 3) q.term(term, { boost: 1, editDistance: term.length > 6 ? 2 : 1 });
    }
  });
  return results.slice(0, 10).map(({ ref }) => {
    const [address, title, text] = entries[ref];
    return { address, title, excerpt: excerpt(text, terms) };
  });
}

function excerpt(text, terms) {
  const lower = text.toLowerCase();
  const place = terms.map((term) => lower.indexOf(term)).find((index) => index >= 0) ?? 0;
  const start = place < 60 ? 0 : text.indexOf(" ", place - 50) + 1;
  return (start ? "… " : "") + text.slice(start, start + 130) + (text.length > start + 130 ? " …" : "");
}

addEventListener("message", async ({ data }) => {
  if (data.index) {
    ready = load(data);
    ready.catch(() => {});
    return;
  }
  try {
    postMessage({ id: data.id, found: found(await ready, data.query) });
  } catch (error) {
    postMessage({ id: data.id, fault: String(error) });
  }
});
