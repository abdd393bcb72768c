/** Table of the participants of a conference, a queue or a room, with actions for each. */
import type { ComponentChildren } from 'preact';
import { t } from '../../../shared/web/words/translate.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';

export const PresenceTable = ({ who, how, children }: { who: string; how: string; children: ComponentChildren }) => (
  <div class="wide">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{who}</th>
          <th scope="col">{how}</th>
          <th scope="col" class="number">
            {t('for')}
          </th>
          <th scope="col">
            <span class="unseen">{t('what can be done')}</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

export const RowActs = ({ children }: { children: ComponentChildren }) => (
  <td class="row-acts">
    <WriteAccessOnly>{children}</WriteAccessOnly>
  </td>
);
