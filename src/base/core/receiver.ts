/**
 * The receiver of an event: a project and the origin of its URL. Failures of one project do not affect the deliveries of
 * another; different paths of one server are one receiver.
 */
const MAX_CACHED = 1000;
const MAX_CACHED_LENGTH = 300;

/** Matches a plain scheme and authority, which need no further parsing. */
const AUTHORITY = /^https?:\/\/[^\s/?#\\]+(?=[/?#]|$)/i;

/** Cache of parsed origins. */
const known = new Map<string, string>();

/** Key of a receiver: a project and an origin. */
export const receiverOf = (projectId: string, url: string): string => `${projectId} ${originOf(url)}`;

export function partsOfReceiver(receiver: string): { projectId: string; origin: string } {
  // An origin has no spaces.
  const at = receiver.lastIndexOf(' ');
  return { projectId: receiver.slice(0, at), origin: receiver.slice(at + 1) };
}

/** Empty if it is not a URL. */
function originOf(url: string): string {
  const authority = AUTHORITY.exec(url)?.[0];
  if (authority === undefined || authority.length > MAX_CACHED_LENGTH) return parsed(url);
  let origin = known.get(authority);
  if (origin === undefined) {
    origin = parsed(authority);
    if (known.size >= MAX_CACHED) known.clear();
    known.set(authority, origin);
  }
  return origin;
}

const parsed = (url: string): string => URL.parse(url)?.origin ?? '';
