/** The configurations that examples/13-cluster brings for other programs: those programs take them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readConfigText } from '../../src/config.ts';
import { program } from '../programs.ts';

const FOLDER = fileURLToPath(new URL('../../examples/13-cluster', import.meta.url));
const haproxy = program('haproxy');
const kamailio = program('kamailio');

describe('the cluster of the examples', () => {
  it.each([[[]], [['asterisk/asterisk.yaml']]])('has a configuration for each node, with %j', (more) => {
    const text = ['callweave.yaml', ...more]
      .map((file) => readFileSync(`${FOLDER}/${file}`, 'utf8'))
      .join('')
      .replaceAll('SOUNDS', './sounds')
      .replaceAll('HTTP_PORT', '8091')
      .replaceAll('FLOWS', '.')
      .replaceAll('SIP_PORT', '5071')
      .replaceAll('RTP_FROM', '20000')
      .replaceAll('RTP_TO', '20999')
      .replaceAll('VIDEO_PORT', '23000')
      .replaceAll('REDIS_PORT', '6390')
      .replaceAll('NODE', 'one');
    expect(readConfigText(text, `${FOLDER}/callweave.yaml`).diagnostics).toEqual([]);
  });

  it.skipIf(haproxy.missing)(`has one that HAProxy takes${haproxy.why}`, () => {
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', 'haproxy.cfg'], { cwd: FOLDER, encoding: 'utf8' });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  });

  it.skipIf(kamailio.missing)(`has one that Kamailio takes${kamailio.why}`, () => {
    const { status, stderr } = spawnSync('kamailio', ['-c', '-f', 'kamailio.cfg'], { cwd: FOLDER, encoding: 'utf8' });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  });
});
