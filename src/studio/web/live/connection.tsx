/** Whether what is shown is what goes on. */
import { streamState } from './live-store.ts';

export function Connection() {
  const state = streamState.value;
  const words = { live: 'live', connecting: 'connecting…', broken: 'not connected: trying again' }[state];
  return <span class={state === 'live' ? 'good' : state === 'broken' ? 'bad' : ''}>● {words}</span>;
}
