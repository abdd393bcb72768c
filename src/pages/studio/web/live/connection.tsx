/** Connection indicator: shows whether the live data is current. */
import { streamState } from './live-store.ts';

export function Connection() {
  const state = streamState.value;
  const words = { live: 'live', connecting: 'connecting…', broken: 'not connected: trying again' }[state];
  return <span class={state === 'live' ? 'good' : state === 'broken' ? 'bad' : ''}>● {words}</span>;
}
