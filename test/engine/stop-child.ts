/**
 * Child process of `under-stress.test.ts`: two engines with calls in every state, both stopped. Prints the last events
 * of their hosts; then the process must exit without help.
 * Arguments: the two addresses.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Leg, play, record, Site, sendDigits, silence } from './site.ts';

const [here, there] = process.argv.slice(2) as [string, string];
const one = await Site.open({ host: here, allowSipUris: [there] });
const other = await Site.open({ host: there, allowSipUris: [here] });

const busy = (leg: Leg, name: string) =>
  leg.send(
    play('p', [silence(60_000)], true),
    record('r', join(tmpdir(), `callweave-stop-${process.pid}-${name}.wav`)),
    sendDigits('s', '0123456789w0123456789'),
  );
const [near, far] = await one.call(other);
const [tcpNear, tcpFar] = await other.call(one, one.uri('+33199001122', 'tcp'));
for (const [at, leg] of [near, far, tcpNear, tcpFar].entries()) busy(leg, String(at));
const ringing = one.dial(other.uri('+33199001122'));
const rung = await other.arrival();
rung.send({ type: 'ring' });
await ringing.until('ringing');
other.dial(one.uri('+33199001122', 'tcp'));
(await one.arrival()).send({ type: 'progress' });
// No server listens there, so that this INVITE is repeated.
one.dial(`sip:nobody@${there}:9`);
one.dial(other.uri('+33199001122'));

await one.engine.stop();
await other.engine.stop();
const legs = [...one.legs.values(), ...other.legs.values()];
process.stdout.write(`${JSON.stringify(legs.map(({ types }) => types))}\n`);
