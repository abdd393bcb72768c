/**
 * Search entries of the command palette (Ctrl K) beyond the commands: flows, their steps and texts, calls, and the
 * objects of the settings.
 */
import { pageLocale, t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { listFlows } from '../flow-api.ts';
import { addSource, type PaletteItem, type SearchSource } from '../shell/palette.tsx';
import { addressOfFlow, goToFlow, navigate } from '../shell/router.ts';
import { session } from '../shell/session.ts';
import { fieldsText, isCallId, LISTS, type ListedItem, phoneDigits } from './search-lists.ts';

/** Cache time of lists, so that successive searches load them once. */
const KEPT_MS = 5000;
/** Pause before a search by the service, so that fast typing asks once. */
const PAUSE_MS = 150;
const MIN_WORDS = 2;
const MAX_HITS = 30;
const MAX_CALLS = 5;

const isAdmin = (): boolean => typeof session.value === 'object' && session.value.role === 'admin';

/** Resolves after the pause; rejects if the words have changed. */
const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** Entries from a list that is loaded once for a while. */
function fromList(load: () => Promise<PaletteItem[]>): SearchSource {
  let known: { items: Promise<PaletteItem[]>; atMs: number } | undefined;
  return (wanted) => {
    // Without words, the palette shows the commands.
    if (!isAdmin() || wanted.trim() === '') return [];
    if (known === undefined || performance.now() - known.atMs > KEPT_MS)
      known = { items: load().catch(() => []), atMs: performance.now() };
    return known.items;
  };
}

const flows = fromList(async () =>
  (await listFlows()).flatMap(({ name, tests }): PaletteItem[] => [
    { title: name, kind: t('Flows'), run: () => navigate(addressOfFlow(name)) },
    ...(tests === 0
      ? []
      : [
          {
            title: t('Tests of {name}', { name }),
            kind: t('Tests'),
            run: () => navigate(`${addressOfFlow(name)}/tests`),
          },
        ]),
  ]),
);

interface Hit {
  flow: string;
  step?: string;
  kind: 'step' | 'text' | 'prompt';
  text: string;
}

/** Steps and texts of all flows. */
const words: SearchSource = async (wanted, signal) => {
  if (!isAdmin() || wanted.trim().length < MIN_WORDS) return [];
  await pause(signal);
  const query = new URLSearchParams({ q: wanted.trim().slice(0, 100), limit: String(MAX_HITS) });
  const { hits } = await request<{ hits: Hit[] }>(`/admin/v1/search?${query}`, { signal });
  return hits.map(({ flow, step, kind, text }): PaletteItem => {
    const run = (): void => goToFlow(flow, step);
    const found = { title: text, isMatched: true, run };
    if (kind === 'step') return { ...found, kind: t('Steps'), where: flow };
    return { ...found, kind: t('Words in flows'), where: step === undefined ? flow : `${flow} › ${step}` };
  });
};

/** Calls by their ID, or by a part of a number. */
const calls: SearchSource = async (wanted, signal) => {
  const text = wanted.trim();
  const digits = phoneDigits(text);
  if (!isCallId(text) && digits === undefined) return [];
  await pause(signal);
  const open = (id: string) => (): void => navigate(`/calls/${encodeURIComponent(id)}`);
  if (isCallId(text)) {
    await request(`/voice/v1/call/${encodeURIComponent(text)}`, { signal });
    return [{ title: text, kind: t('Calls'), run: open(text) }];
  }
  const found = await Promise.all((['from', 'to'] as const).map((end) => callsWith(end, digits!, signal)));
  return found.flat().map(
    ({ voice_id: id, from, to, flow, started }): PaletteItem => ({
      ...{ title: `${from} → ${to}`, kind: t('Calls'), isMatched: true, run: open(id) },
      where: `${flow}, ${new Date(started).toLocaleString(pageLocale())}`,
    }),
  );
};

interface FoundCall {
  voice_id: string;
  from: string;
  to: string;
  flow: string;
  started: string;
}

/** The latest calls from or to a number. */
async function callsWith(end: 'from' | 'to', number: string, signal: AbortSignal): Promise<FoundCall[]> {
  const query = new URLSearchParams({ [end]: number, limit: String(MAX_CALLS) });
  return (await request<{ calls: FoundCall[] }>(`/voice/v1/call?${query}`, { signal })).calls;
}

/** Adds all sources. */
export function findEverything(): void {
  for (const source of [flows, words, calls]) addSource(source);
  for (const { path, key, kind, name, title = name, where = [], page, query } of LISTS) {
    addSource(
      fromList(async () => {
        const found = (await request<Record<string, ListedItem[]>>(path))[key] ?? [];
        return found.map(
          (item): PaletteItem => ({
            title: String(item[title]),
            kind,
            where: fieldsText(item, where),
            run: () => navigate(page, query === undefined ? {} : query(item)),
          }),
        );
      }),
    );
  }
}
