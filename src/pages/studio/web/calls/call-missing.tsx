/** Content of the call page if the call cannot be shown. */

import { t } from '../../../shared/web/words/translate.ts';
import { Empty } from '../empty-screen/empty.tsx';
import { addressOf } from '../shell/router.ts';

const NOT_FOUND = t('This call was not found. It was deleted, or it belongs to another project.');

export const CallMissing = ({ reason }: { reason: string }) => (
  <Empty
    icon="calls"
    text={/no such call/.test(reason) ? NOT_FOUND : t('The call cannot be shown: {reason}.', { reason })}
  >
    <a class="button primary" href={addressOf('/calls')}>
      {t('All calls')}
    </a>
  </Empty>
);
