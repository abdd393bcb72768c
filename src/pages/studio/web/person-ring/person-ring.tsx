/** Initials of a person in a ring of the person's colour. */
import './person-ring.css';

/** Hues in degrees, each far from the next. */
const HUES = [212, 28, 152, 286, 48, 340, 182, 8];

const hueOf = (who: string): number => {
  let sum = 0;
  for (const char of who) sum = (sum * 31 + char.codePointAt(0)!) % 9973;
  return HUES[sum % HUES.length]!;
};

/** Two letters: of the first two words, or of the only one. */
export function initialsOf(who: string): string {
  const words = who.match(/[\p{L}\p{N}]+/gu) ?? ['?'];
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...words[0]!].slice(0, 2);
  return letters.join('').toUpperCase();
}

/** The initials are drawn by the styles: the name is the text for screen readers. */
export const PersonRing = ({ who, title }: { who: string; title?: string | undefined }) => (
  <span
    class="person-ring"
    style={{ '--hue': hueOf(who) }}
    title={title ?? who}
    data-initials={initialsOf(who)}
    aria-hidden="true"
  />
);
