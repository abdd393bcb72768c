/**
 * A process of the engine that carries nothing: it answers as `child.ts` does, and warns of each ping. On ports that end in 9
 * it cannot work.
 */
import type { FromChild, ToChild } from '../../../src/media/rooms/embedded/child-messages.ts';

const report = (message: FromChild, then: () => void = () => undefined): void => void process.send?.(message, then);

process.on('message', (message: ToChild) => {
  if (message.type === 'begin') {
    if (message.options.port! % 10 === 9) report({ type: 'unusable', why: 'EADDRINUSE' }, () => process.exit(0));
    else report({ type: 'ready' });
  } else if (message.type === 'ping') {
    report({ type: 'pong' });
    report({ type: 'warning', message: 'pinged', why: '' });
  }
  if (message.type === 'finish') report({ type: 'finished' }, () => process.exit(0));
});
process.once('disconnect', () => process.exit(0));
