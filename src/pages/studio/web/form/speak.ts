/** Speaks words with a voice of the browser, so that they are heard without a call. */
import { signal } from '@preact/signals';
import { withoutBrackets } from '../../../../language/flow/placeholders.ts';
import { canSpeak } from '../simulator/speech-output.ts';

/** Text that is being spoken. */
export const spokenNow = signal<string | undefined>(undefined);

/** Templates are spoken as the name of their variable, placeholders without their brackets. */
export const spokenText = (text: string): string =>
  withoutBrackets(text).replaceAll(
    /\$\{\s*([^}]*?)\s*\}/g,
    (_, expression: string) => expression.split(/[.\s(]/).at(-1) ?? '',
  );

export function toggleSpeech(text: string, language: string): void {
  if (!canSpeak) return;
  speechSynthesis.cancel();
  if (spokenNow.peek() === text) {
    spokenNow.value = undefined;
    return;
  }
  const words = new SpeechSynthesisUtterance(spokenText(text));
  words.lang = language;
  const end = (): void => {
    if (spokenNow.peek() === text) spokenNow.value = undefined;
  };
  words.onend = end;
  words.onerror = end;
  spokenNow.value = text;
  speechSynthesis.speak(words);
}
