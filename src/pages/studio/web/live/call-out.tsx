/** Form that calls a phone with a flow. The live page of the flow then follows the call (`followed-call.tsx`). */
import './call-out.css';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { project, request } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { refusalOf } from '../shell/refusal.ts';
import { addressOf, navigate } from '../shell/router.ts';
import { listVersions, shortHash, timeOf, type Version } from '../versions/version-api.ts';
import { callerIds, needsRoute, type OwnNumber } from './call-out-words.ts';

/** Maximum number of candidates in the choice of the version. */
const MAX_CANDIDATES = 10;

interface Known {
  numbers: readonly OwnNumber[];
  hasRoutes: boolean;
}

/** Undefined until it is loaded, and for projects, which may not read settings. */
function useKnown(): Known | undefined {
  const known = useSignal<Known | undefined>(undefined);
  useEffect(() => {
    const numbers = request<{ numbers: OwnNumber[] }>('/admin/v1/numbers');
    const routes = request<{ routes: unknown[] }>('/admin/v1/routes');
    Promise.all([numbers, routes]).then(
      ([{ numbers: found }, { routes: carriers }]) => {
        known.value = { numbers: found, hasRoutes: carriers.length > 0 };
      },
      // Without the lists, the caller ID is typed.
      () => undefined,
    );
  }, []);
  return known.value;
}

/** Versions that are kept and not live. Empty until they are loaded. */
function useCandidates(flow: string): readonly Version[] {
  const versions = useSignal<readonly Version[]>([]);
  useEffect(() => {
    versions.value = [];
    const ended = new AbortController();
    if (flow !== '')
      listVersions(flow, ended.signal).then(
        (found) => {
          versions.value = found.filter(({ in_force: isLive }) => isLive !== true).slice(0, MAX_CANDIDATES);
        },
        () => undefined,
      );
    return () => ended.abort();
  }, [flow]);
  return versions.value;
}

const versionWords = (hash: string, time: string, calls: number): string =>
  calls === 0
    ? t('Candidate {hash}, {time}', { hash: shortHash(hash), time })
    : t('Version {hash}, {time}', { hash: shortHash(hash), time });

/** `crypto.randomUUID` exists on pages with HTTPS only. */
const newKey = (): string => crypto.getRandomValues(new BigUint64Array(2)).join('-');

interface CallOutProps {
  flow: string;
  /** Called when the call was placed. */
  placed(): void;
}

export function CallOut({ flow, placed }: CallOutProps) {
  const to = useSignal('');
  const from = useSignal<string | undefined>(undefined);
  const version = useSignal('');
  const refused = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const key = useRef<string>(undefined);
  const known = useKnown();
  const candidates = useCandidates(flow);
  const shown = known === undefined ? [] : callerIds(known.numbers, flow, project.value);
  const caller = from.value ?? shown[0] ?? '';
  const wanted = to.value.trim();
  const lacksRoute = known?.hasRoutes === false && needsRoute(wanted);
  const change = (): void => {
    refused.value = undefined;
    key.current = undefined;
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (wanted === '' || caller === '' || flow === '' || isBusy.value) return;
    isBusy.value = true;
    // A request that is sent again after a lost answer does not call twice.
    key.current ??= newKey();
    try {
      const chosen = version.value === '' ? {} : { flow_version: version.value };
      const json = { from: caller, to: wanted, flow, check_do_not_call: true, owner_ref: 'studio', ...chosen };
      const headers = { 'idempotency-key': key.current };
      const made = await request<{ voice_id: string }>('/voice/v1/call', { method: 'POST', json, headers });
      placed();
      navigate(`/flows/${encodeURIComponent(flow)}/live`, { follow: made.voice_id });
    } catch (error) {
      refused.value = refusalOf(error, []).form;
    }
    isBusy.value = false;
  };
  return (
    <form class="call-out" onSubmit={submit} aria-label={t('Call a phone')}>
      <div class="call-out-fields">
        <label class="call-out-to">
          {t('Number')}
          <input
            value={to.value}
            inputMode="tel"
            autocomplete="off"
            spellcheck={false}
            list={undefined}
            placeholder="+33 6 12 34 56 78"
            aria-invalid={refused.value !== undefined}
            aria-describedby="call-out-note"
            onInput={({ currentTarget: { value } }) => {
              to.value = value;
              change();
            }}
          />
        </label>
        <div>
          <label for="call-out-from">{t('Shows the number')}</label>
          {shown.length > 0 ? (
            <select id="call-out-from" value={caller} onChange={({ currentTarget: { value } }) => (from.value = value)}>
              {shown.map((number) => (
                <option key={number} value={number}>
                  {number}
                </option>
              ))}
            </select>
          ) : (
            <input
              id="call-out-from"
              value={caller}
              autocomplete="off"
              list={undefined}
              onInput={({ currentTarget: { value } }) => {
                from.value = value;
                change();
              }}
            />
          )}
        </div>
        {candidates.length > 0 && (
          <label>
            {t('Version')}
            <select value={version.value} onChange={({ currentTarget: { value } }) => (version.value = value)}>
              <option value="">{t('Saved version')}</option>
              {candidates.map(({ hash, first_seen: at, calls }) => (
                <option key={hash} value={hash}>
                  {versionWords(hash, timeOf(at), calls)}
                </option>
              ))}
            </select>
          </label>
        )}
        <button
          type="submit"
          class="button primary"
          disabled={wanted === '' || caller === '' || flow === '' || isBusy.value}
        >
          <Icon name="calls" /> {t('Call ## verb')}
        </button>
      </div>
      <p id="call-out-note" role="alert">
        {refused.value}
      </p>
      {known?.numbers.length === 0 && (
        <p class="hint">
          {t('The project has no number to show yet.')}{' '}
          <a href={addressOf('/settings/numbers', { new: '1' })}>{t('Add a number')}</a>
        </p>
      )}
      {lacksRoute && (
        <p class="hint">
          {t('No route to a carrier is configured: only SIP addresses (sip:…) and users (user:…) can be called.')}{' '}
          <a href={addressOf('/settings/routes', { new: '1' })}>{t('Add a route')}</a>
        </p>
      )}
    </form>
  );
}

interface CallOutDialogProps {
  flows: readonly string[];
  close(): void;
}

/** Dialog for the list of calls: the flow is chosen first. */
export function CallOutDialog({ flows, close }: CallOutDialogProps) {
  const flow = useSignal(flows[0] ?? '');
  return (
    <Dialog title={t('Call a phone')} close={close} class="call-out-dialog">
      <div class="call-out">
        <label>
          {t('Flow')}
          <select value={flow.value} onChange={({ currentTarget: { value } }) => (flow.value = value)}>
            {flows.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <CallOut key={flow.value} flow={flow.value} placed={close} />
    </Dialog>
  );
}
