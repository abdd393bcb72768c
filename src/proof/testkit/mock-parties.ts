/** Parties of a scenario: behaviour of called numbers by verb, and calls without a mock. */
import type { JournalEntry } from '../../service/runtime/journal.ts';
import type { PartyMock, PartyMockKey, PartyMocks } from './scenario-parties.ts';
import { PARTY_MOCK_KEYS, USUAL_PARTY_KEY } from './scenario-parties.ts';

export interface UnmockedCall {
  legId: string;
  to: string;
  /** Key of the verb in `mocks`. */
  word: PartyMockKey;
  /** Number of mocks for the number. */
  answers: number;
}

export class MockParties {
  readonly unmocked: UnmockedCall[] = [];
  readonly #parties: Partial<Record<PartyMockKey, PartyMocks>>;
  readonly #verbs = new Map<number, string>();
  readonly #visits = new Map<string, number>();
  readonly #calls = new Map<string, number>();

  constructor(parties: Partial<Record<PartyMockKey, PartyMocks>>) {
    this.#parties = parties;
  }

  /** Must be called with every journal entry, to know which step places a call. */
  onEntry(entry: JournalEntry): void {
    if (entry.kind === 'entered') this.#verbs.set(entry.visit, entry.verb);
    if (entry.kind === 'dialled') this.#visits.set(entry.leg, entry.visit);
  }

  /** Behaviour of a called number. Undefined if the test has none, which is recorded. */
  mockFor(legId: string, to: string): PartyMock | undefined {
    const verb = this.#verbs.get(this.#visits.get(legId) ?? -1);
    const own = PARTY_MOCK_KEYS.find((each) => each === verb) ?? USUAL_PARTY_KEY;
    const word = [own, ...PARTY_MOCK_KEYS].find((each) => this.#parties[each]?.[to] !== undefined);
    const mock = word === undefined ? undefined : this.#parties[word]?.[to];
    if (mock === undefined || word === undefined) {
      this.unmocked.push({ legId, to, word: own, answers: 0 });
      return undefined;
    }
    if (!Array.isArray(mock)) return mock as PartyMock;
    const key = `${word} ${to}`;
    const calls = this.#calls.get(key) ?? 0;
    this.#calls.set(key, calls + 1);
    const found = (mock as readonly PartyMock[])[calls];
    if (!found) this.unmocked.push({ legId, to, word, answers: mock.length });
    return found;
  }
}
