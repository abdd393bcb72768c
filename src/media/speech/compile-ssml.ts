/**
 * Compiles a `<speak>` document to segments that every engine supports: texts with voice, rate, pitch and gain, and
 * pauses between them. The audio library implements features that an engine lacks (gain, pauses, styles).
 *
 * Invariant: adjacent texts with the same settings are one segment, so that a sentence that contains a number is spoken
 * as one sentence.
 */
import type { Voice } from '../../base/core/leg.ts';
import { sayAs } from '../../language/spoken/say-as.ts';
import { readSsml, type SsmlElement, type SsmlProblem, silenceKind } from '../../language/ssml/read-ssml.ts';
import { breakMs, offsetMs, pitchOf, rateOf, volumeOf } from '../../language/ssml/ssml-values.ts';
import { splitSentences } from './sentences.ts';
import { clampFactor } from './synthesizer.ts';

export interface SpokenSegment {
  type: 'speech';
  text: string;
  language: string;
  voice: Voice;
  /** Factors; 1 is the voice's default. */
  rate: number;
  pitch: number;
  /** Amplitude factor. */
  gain: number;
  /** Speaking style, for engines that support it; for others `styles.ts` has an approximation. */
  style?: string;
}

export type Segment = SpokenSegment | { type: 'pause'; durationMs: number };

export type CompiledSsml =
  | { segments: Segment[]; problems?: undefined }
  | { segments?: undefined; problems: SsmlProblem[] };

/** Settings of an element for its content. */
interface SpeakingStyle extends Omit<SpokenSegment, 'type' | 'text'> {
  /** Additional pause between the sentences of a text. */
  sentencePauseMs: number;
}

type Draft = (SpokenSegment & SpeakingStyle) | { type: 'pause'; durationMs: number };

const SENTENCE_PAUSE_MS = 250;
const PARAGRAPH_PAUSE_MS = 600;

const WITHOUT_SOUND = ['mark', 'meta', 'metadata', 'desc'];

const EMPHASIS: Readonly<Record<string, { rate: number; pitch: number; gain: number }>> = {
  strong: { rate: 0.85, pitch: 1.08, gain: 1.4 },
  moderate: { rate: 0.92, pitch: 1.04, gain: 1.2 },
  reduced: { rate: 1.1, pitch: 0.97, gain: 0.75 },
  none: { rate: 1, pitch: 1, gain: 1 },
};

export function compileSsml(source: string, start: { language: string; voice: Voice }): CompiledSsml {
  const { root, problems } = readSsml(source);
  if (!root) return { problems };
  const plan = createPlan();
  walk(root, { ...start, rate: 1, pitch: 1, gain: 1, sentencePauseMs: 0 }, plan);
  return { segments: plan.end() };
}

function walk(element: SsmlElement, outer: SpeakingStyle, plan: Plan): void {
  const { name, attributes } = element;
  const manner = styleIn(element, outer);
  if (WITHOUT_SOUND.includes(name)) return;
  if (name === 'break') plan.pause(breakMs(attributes) ?? 0);
  else if (name === 'sub') plan.say(attributes['alias']!, manner);
  else if (name === 'say-as') {
    const detail = { interpretAs: attributes['interpret-as']!, format: attributes['format'] };
    plan.say(sayAs(textOf(element), detail, manner.language), manner);
  } else walkInto(element, manner, plan);
}

function walkInto({ name, children }: SsmlElement, manner: SpeakingStyle, plan: Plan): void {
  const pauseMs = name === 'p' ? PARAGRAPH_PAUSE_MS : name === 's' ? SENTENCE_PAUSE_MS : undefined;
  if (pauseMs !== undefined) plan.boundary(pauseMs);
  // Silence between sentences also applies before the next sibling.
  const inner = { ...manner };
  for (const child of children) {
    if (typeof child === 'string') plan.say(child, inner);
    else if (child.name === 'mstts:silence') silence(child.attributes, inner, plan);
    else walk(child, inner, plan);
  }
  if (pauseMs !== undefined) plan.boundary(pauseMs);
}

function styleIn({ name, attributes }: SsmlElement, outer: SpeakingStyle): SpeakingStyle {
  const manner = { ...outer };
  const language = attributes['xml:lang'];
  if (language !== undefined) manner.language = language.replaceAll('_', '-');
  if (name === 'prosody') {
    const { rate, pitch, volume } = attributes;
    manner.rate = clampFactor(outer.rate * ((rate && rateOf(rate)) || 1));
    manner.pitch = clampFactor(outer.pitch * ((pitch && pitchOf(pitch, outer.voice)) || 1));
    manner.gain = outer.gain * ((volume === undefined ? undefined : volumeOf(volume)) ?? 1);
  } else if (name === 'emphasis') {
    const change = EMPHASIS[(attributes['level'] ?? 'moderate').toLowerCase()]!;
    manner.rate = clampFactor(outer.rate * change.rate);
    manner.pitch = clampFactor(outer.pitch * change.pitch);
    manner.gain = outer.gain * change.gain;
  } else if (name === 'voice') {
    manner.voice = voiceOf(attributes) ?? outer.voice;
  } else if (name === 'mstts:express-as') {
    manner.style = attributes['style']!.toLowerCase();
  }
  return manner;
}

/** Voice names belong to other services; only the names with a general meaning are used. */
function voiceOf(attributes: Readonly<Record<string, string>>): Voice | undefined {
  for (const key of ['gender', 'name']) {
    const word = attributes[key]?.toLowerCase();
    if (word === 'female' || word === 'male') return word;
  }
  return undefined;
}

function silence(attributes: Readonly<Record<string, string>>, manner: SpeakingStyle, plan: Plan): void {
  const durationMs = offsetMs(attributes['value'] ?? '') ?? 0;
  const kind = silenceKind(attributes['type']);
  if (kind === 'sentenceboundary') manner.sentencePauseMs = durationMs;
  else if (kind === 'tailing') plan.tail(durationMs);
  else plan.pause(durationMs);
}

const textOf = (element: SsmlElement): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');

type Plan = ReturnType<typeof createPlan>;

function createPlan() {
  const segments: Draft[] = [];
  let tailMs = 0;
  /** Pause that is only inserted if text follows. */
  let boundaryMs = 0;

  const say = (text: string, manner: SpeakingStyle): void => {
    const words = text.replace(/\s+/g, ' ');
    if (words === '') return;
    const last = segments.at(-1);
    if (words === ' ') {
      if (last?.type === 'speech' && boundaryMs === 0 && !last.text.endsWith(' ')) last.text += ' ';
      return;
    }
    if (boundaryMs > 0 && segments.length > 0) segments.push({ type: 'pause', durationMs: boundaryMs });
    boundaryMs = 0;
    const before = segments.at(-1);
    if (before?.type === 'speech' && soundsAlike(before, manner))
      before.text = (before.text + words).replace(/ {2,}/g, ' ');
    else segments.push({ type: 'speech', text: words, ...manner });
  };

  return {
    say,
    pause(durationMs: number): void {
      boundaryMs = 0;
      const last = segments.at(-1);
      if (last?.type === 'pause') last.durationMs += durationMs;
      else segments.push({ type: 'pause', durationMs });
    },
    boundary(durationMs: number): void {
      // An explicit pause replaces the pause between sentences.
      if (segments.at(-1)?.type === 'pause') return;
      boundaryMs = Math.max(boundaryMs, durationMs);
    },
    tail(durationMs: number): void {
      tailMs = Math.max(tailMs, durationMs);
    },
    end(): Segment[] {
      if (tailMs > 0) segments.push({ type: 'pause', durationMs: tailMs });
      return segments
        .flatMap(sentencesApart)
        .filter((segment) => (segment.type === 'speech' ? segment.text !== '' : segment.durationMs > 0));
    },
  };
}

function sentencesApart(draft: Draft): Segment[] {
  if (draft.type === 'pause') return [draft];
  const { sentencePauseMs, ...segment } = draft;
  if (sentencePauseMs === 0) return [{ ...segment, text: segment.text.trim() }];
  return splitSentences(segment.text, segment.language).flatMap((text, index): Segment[] => [
    ...(index === 0 ? [] : [{ type: 'pause', durationMs: sentencePauseMs } as const]),
    { ...segment, text },
  ]);
}

const STYLE_KEYS = ['language', 'voice', 'rate', 'pitch', 'gain', 'style', 'sentencePauseMs'] as const;

const soundsAlike = (a: SpeakingStyle, b: SpeakingStyle): boolean => STYLE_KEYS.every((key) => a[key] === b[key]);
