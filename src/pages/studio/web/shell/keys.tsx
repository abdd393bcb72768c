/** Rendering of a key, and the page of all active keys (`?`). */
import { addressAtService } from '../../../shared/web/service-root.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { commands, heardKeys, shownKeys } from './commands.ts';
import { Dialog } from './dialog.tsx';

export const Keys = ({ of }: { of: string }) => (
  <>
    {shownKeys(of).map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </>
);

export function KeysHelp({ close }: { close(): void }) {
  const withKeys = commands.value.filter(({ keys }) => keys !== undefined);
  const groups = new Map<string, readonly (readonly [keys: string, does: string])[]>(
    [...Map.groupBy(withKeys, ({ group }) => group ?? t('Here'))].map(([group, listed]) => [
      group,
      listed.map(({ keys, also, title }) => [also === undefined ? keys! : `${keys} ${also}`, title] as const),
    ]),
  );
  for (const { group, keys } of heardKeys.value) groups.set(group, keys);
  return (
    <Dialog title={t('Keys')} close={close} class="keys-dialog">
      <div class="keys-help">
        {[...groups].map(([group, listed]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {listed.map(([keys, title]) => (
                <div key={`${title} ${keys}`}>
                  <dt>
                    <Keys of={keys} />
                  </dt>
                  <dd>{title}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="keys-end">
        <a href={addressAtService('/studio/assets/licences.txt')} target="_blank" rel="noreferrer">
          {t('Open-source licences')}
        </a>
      </p>
    </Dialog>
  );
}
