/** Cuts a text into sentences, so that the first can be heard while the rest is still being made. */

/** A longer sentence is cut at a pause: it bounds the time to first audio and the time of one engine run. */
const MAX_SENTENCE_LENGTH = 300;

/** After these a full stop does not end the sentence, though the Unicode rules think so. */
const ABBREVIATION = /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|approx|ext|e\.g|i\.e|p\.m|a\.m|[a-z])\.\s*$/i;
const NUMBER_FOLLOWS = /(?:^|\s)(?:no|nr)\.\s*$/i;

const segmenters = new Map<string, Intl.Segmenter>();

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
  return sentences;
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

function segmenterOf(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
    segmenters.set(language, segmenter);
  }
  return segmenter;
}
