/**
 * Display names of phones for the other participants of a room: hides most of a number and the domain of a SIP address.
 */

const SIP_ADDRESS = /^(?:"?[^"<]*"?\s*<)?sips?:(?:([^@>;?]*)@)?[^>]*>?$/i;
const PHONE_NUMBER = /^\+?[\d\s().-]{5,}$/;
const WITHHELD = /^(?:anonymous|unavailable|unknown|restricted)?$/i;

/** Returns a name unchanged, the user part of a SIP address, or a number without its middle. */
export function shownName(written: string): string {
  const address = SIP_ADDRESS.exec(written.trim());
  const name = decoded(address ? (address[1] ?? '') : written.trim());
  if (WITHHELD.test(name)) return 'Telephone';
  return PHONE_NUMBER.test(name) ? shortened(name.replace(/[^\d+]/g, '')) : name;
}

/** Shortens a number, as in `+336…78`. */
function shortened(number: string): string {
  const kept = Math.min(number.startsWith('+') ? 4 : 3, Math.floor(number.length / 3));
  return number.length < 5 ? number : `${number.slice(0, kept)}…${number.slice(-2)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
