/** Connection indicator: shows whether the live data is current. */

import { t } from '../../../shared/web/words/translate.ts';
import { streamState } from './live-store.ts';

export function Connection() {
  const state = streamState.value;
  const words = { live: t('live'), connecting: t('connecting…'), broken: t('not connected: trying again') }[state];
  return <span class={state === 'live' ? 'good' : state === 'broken' ? 'bad' : ''}>● {words}</span>;
}
