/** Splits a text into sentences, so that the first can be played while the rest is synthesised. */

/** Longer sentences are split at a pause. Limits the time to first audio and of one engine run. */
const MAX_SENTENCE_LENGTH = 300;
/**
 * If the first piece is longer than this, its first clause becomes a piece of its own, because the caller waits for it.
 */
const MAX_FIRST_LENGTH = 100;
const MIN_CLAUSE_LENGTH = 30;

/** Abbreviations after which a full stop does not end the sentence, contrary to the Unicode rules. */
const ABBREVIATION = /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|approx|ext|e\.g|i\.e|p\.m|a\.m|[a-z])\.\s*$/i;
const NUMBER_FOLLOWS = /(?:^|\s)(?:no|nr)\.\s*$/i;

export function splitSentences(text: string, language: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmenterOf(language).segment(text)) {
    const joins =
      (ABBREVIATION.test(open) || (NUMBER_FOLLOWS.test(open) && /^\d/.test(segment))) && !open.endsWith('\n');
    if (joins) {
      open += segment;
    } else {
      sentences.push(...cut(open));
      open = segment;
    }
  }
  sentences.push(...cut(open));
  return [...firstClause(sentences[0]), ...sentences.slice(1)];
}

function firstClause(sentence: string | undefined): string[] {
  if (sentence === undefined || sentence.length <= MAX_FIRST_LENGTH) return sentence === undefined ? [] : [sentence];
  const pause = [...sentence.slice(0, MAX_SENTENCE_LENGTH).matchAll(/[,;:] /g)].find(
    ({ index }) => index >= MIN_CLAUSE_LENGTH,
  );
  if (!pause) return [sentence];
  return [sentence.slice(0, pause.index + 1), sentence.slice(pause.index + 2)];
}

function cut(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence.trim();
  while (rest.length > MAX_SENTENCE_LENGTH) {
    const window = rest.slice(0, MAX_SENTENCE_LENGTH);
    const pause = Math.max(...[', ', '; ', ': ', ' - '].map((mark) => window.lastIndexOf(mark)));
    const space = window.lastIndexOf(' ');
    const at = pause > MAX_SENTENCE_LENGTH / 3 ? pause + 1 : space > 0 ? space : MAX_SENTENCE_LENGTH;
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  if (rest !== '') pieces.push(rest);
  return pieces;
}

const segmenters = new Map<string, Intl.Segmenter>();
const MAX_SEGMENTERS = 50;

/** Cached by language, with a limit, because language tags come from outside. */
function segmenterOf(language: string): Intl.Segmenter {
  const base = language.split('-')[0]!.toLowerCase();
  const known = segmenters.get(base);
  if (known) return known;
  const segmenter = new Intl.Segmenter(/^[a-z]{2,3}$/.test(base) ? base : 'en', { granularity: 'sentence' });
  if (segmenters.size < MAX_SEGMENTERS) segmenters.set(base, segmenter);
  return segmenter;
}
