/**
 * Targets of a redirected call (RFC 3261 §8.1.3.4): the permitted Contacts of 3xx responses, in order of preference.
 * No target is tried twice, and the total is limited, however many are named and however they refer to each other.
 */
import type { Target } from './carriers.ts';
import { parseNameAddress } from './headers.ts';
import { listOf, type SipResponse } from './message.ts';

/** 305 and 380 do not name targets for the same call (§21.3.4, §21.3.5). */
const FOLLOWED = new Set([300, 301, 302]);
const MAX_FOLLOWED = 5;
const MAX_READ = 20;

export class Redirects {
  /** Returns the permitted target for a Contact; undefined if it must not be followed. */
  readonly #allow: (contact: string) => Target | undefined;
  readonly #seen = new Set<string>();
  #left: Target[] = [];
  #followed = 0;

  constructor(first: Target | undefined, allow: (contact: string) => Target | undefined) {
    this.#allow = allow;
    if (first) this.#seen.add(first.requestUri);
  }

  add(response: SipResponse): void {
    if (!FOLLOWED.has(response.status)) return;
    const contacts = listOf(response, 'contact')
      .slice(0, MAX_READ)
      .map(parseNameAddress)
      .filter((contact) => contact !== undefined)
      .sort((one, other) => preference(other.params['q']) - preference(one.params['q']));
    const added: Target[] = [];
    for (const { uri } of contacts) {
      const target = this.#allow(uri.text);
      if (!target || this.#seen.has(target.requestUri)) continue;
      this.#seen.add(target.requestUri);
      added.push(target);
    }
    this.#left = [...added, ...this.#left];
  }

  next(): Target | undefined {
    if (this.#followed === MAX_FOLLOWED) return undefined;
    const target = this.#left.shift();
    if (target) this.#followed++;
    return target;
  }
}

/** §20.10; a missing or malformed value is the highest. */
const preference = (q: string | undefined): number => (q !== undefined && /^[01](\.\d{0,3})?$/.test(q) ? Number(q) : 1);
